"""Putting the new site in the place of the old one."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from generator.errors import BuildError
from generator.site import swap
from generator.site.swap import MARKER, check_replaceable, put_in_place, restore


def directory(path: Path, text: str) -> Path:
    path.mkdir()
    (path / MARKER).write_text(text, encoding="utf-8")
    return path


def content(path: Path) -> str:
    return (path / MARKER).read_text(encoding="utf-8")


def test_the_new_site_takes_the_old_one_s_place(tmp_path):
    put_in_place(directory(tmp_path / "site-new", "new"), directory(tmp_path / "site", "old"))
    assert content(tmp_path / "site") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_first_site(tmp_path):
    put_in_place(directory(tmp_path / "site-new", "new"), tmp_path / "site")
    assert content(tmp_path / "site") == "new"


def test_where_the_system_cannot_exchange(tmp_path, monkeypatch):
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    put_in_place(directory(tmp_path / "site-new", "new"), directory(tmp_path / "site", "old"))
    assert content(tmp_path / "site") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_failing_second_renaming_brings_the_old_site_back(tmp_path, monkeypatch):
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    new, site = directory(tmp_path / "site-new", "new"), directory(tmp_path / "site", "old")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self == new:
            raise OSError(errno.EIO, "no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(BuildError):
        put_in_place(new, site)
    assert content(site) == "old"


def test_a_failing_exchange_is_a_build_error(tmp_path):
    site = directory(tmp_path / "site", "old")
    with pytest.raises(BuildError):
        put_in_place(tmp_path / "absent", site)
    assert content(site) == "old"


def test_nothing_that_is_not_ours_is_replaced(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    check_replaceable(other)
    check_replaceable(tmp_path / "absent")
    (other / "thesis.tex").touch()
    link = tmp_path / "link"
    link.symlink_to(other)
    for place in (other, other / "thesis.tex", link):
        with pytest.raises(BuildError):
            check_replaceable(place)
    check_replaceable(directory(tmp_path / "site", "old"))


def test_a_build_killed_between_two_renamings_is_mended_by_the_next(tmp_path):
    site, aside = tmp_path / "site", directory(tmp_path / "site-old", "old")
    assert restore(site)
    assert content(site) == "old"
    assert not aside.exists()
    directory(aside, "older")
    assert not restore(site)
    assert content(site) == "old"


def test_nothing_is_restored_but_a_site(tmp_path):
    (tmp_path / "site-old").mkdir()
    assert not restore(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_the_new_site_is_told_of_before_the_old_one_is_gone(tmp_path) -> None:
    site, seen = tmp_path / "site", []

    def done() -> None:
        seen.append([*sorted(content(path) for path in tmp_path.iterdir()), content(site)])

    put_in_place(directory(tmp_path / "site-new", "first"), site, done)
    put_in_place(directory(tmp_path / "site-new", "second"), site, done)
    assert seen == [["first", "first"], ["first", "second", "second"]]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
