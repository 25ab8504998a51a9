"""Addresses: of the site, of a page, from a page to its twin."""

from __future__ import annotations

import pytest

from generator.errors import BuildError
from generator.site.urls import (
    DEFAULT_SITE_URL,
    REPOSITORY_URL_VARIABLE,
    SITE_URL_VARIABLE,
    given_site_url,
    language_link,
    markdown_link,
    ordered,
    page_url,
    repository_url,
    site_url,
)


@pytest.mark.parametrize(
    ("path", "source", "target", "link"),
    [
        ("", "ru", "en", "en/"),
        ("", "en", "ru", "../"),
        ("models/x/", "ru", "en", "../../en/models/x/"),
        ("models/x/", "en", "ru", "../../../models/x/"),
        ("", "ru", "ru", "./"),
    ],
)
def test_the_twin_of_a_page(path, source, target, link):
    assert language_link(path, source, path, target) == link


def test_the_site_s_address_is_a_setting(monkeypatch):
    monkeypatch.delenv(SITE_URL_VARIABLE, raising=False)
    assert site_url() == DEFAULT_SITE_URL
    monkeypatch.setenv(SITE_URL_VARIABLE, "https://example.org/name")
    assert page_url("models/x/", "en") == "https://example.org/name/en/models/x/"


def test_a_report_links_to_a_site_whose_address_was_given(monkeypatch):
    monkeypatch.setenv(SITE_URL_VARIABLE, "https://example.org/name")
    assert given_site_url() == "https://example.org/name/"
    assert markdown_link("x", "models/x/", "en", "#y") == "[x](https://example.org/name/en/models/x/#y)"
    for value in ("", " "):
        monkeypatch.setenv(SITE_URL_VARIABLE, value)
        assert given_site_url() == ""
        assert markdown_link("x", "models/x/", "en", "#y") == "x"


@pytest.mark.parametrize(
    "value", ["example.org", "ftp://example.org/", "https://", "https://example.org/?x=1", "javascript:1"]
)
def test_what_is_no_address_is_a_build_error(monkeypatch, value):
    for variable, read in (
        (SITE_URL_VARIABLE, site_url),
        (SITE_URL_VARIABLE, given_site_url),
        (REPOSITORY_URL_VARIABLE, repository_url),
    ):
        monkeypatch.setenv(variable, value)
        with pytest.raises(BuildError, match=variable):
            read()


def test_the_repository_s_address_may_be_unknown(monkeypatch):
    monkeypatch.delenv(REPOSITORY_URL_VARIABLE, raising=False)
    assert repository_url() == ""
    monkeypatch.setenv(REPOSITORY_URL_VARIABLE, "https://example.org/o/n/")
    assert repository_url() == "https://example.org/o/n"


def test_languages_in_the_site_s_order():
    assert ordered(["en", "ru"]) == ("ru", "en")
    for wrong in ([], ["de"]):
        with pytest.raises(BuildError):
            ordered(wrong)
