"""Building for `serve`: ahead of time, told of at once, the search index last, errors said."""

from __future__ import annotations

import json
import shutil
import time

import pytest

from generator.site.rebuild import Builder, Shown
from tests.support import MODEL, edit, tiny_catalog


@pytest.fixture
def builder_of(tmp_path):
    """Gives `builder_of(data)`: what builds that data into `site`, and its words in `said`."""
    builders = []

    def make(data):
        said = []
        builders.append(Builder(tmp_path / "site", data, said.append))
        return builders[-1], said

    yield make
    for builder in builders:
        builder.close()


def waiting(builder):
    deadline = time.monotonic() + 60
    while (process := builder._ahead) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.mark.slow
def test_a_build_is_told_of_and_shows_the_edit_and_then_search_finds_it(tmp_path, builder_of):
    data = tiny_catalog(tmp_path)
    builder, said = builder_of(data)
    page = tmp_path / "site" / "en" / "models" / "qwen3-0.6b" / "index.html"
    assert builder.build(Shown(("en",)))
    ahead = waiting(builder)
    entry = tmp_path / "site" / "pagefind" / "pagefind-entry.json"
    first = json.loads(entry.read_text(encoding="utf-8"))
    edit(data, MODEL, "name: Qwen3-0.6B\n", "name: Qwen3-0.6B renamed\n")
    assert builder.build(Shown(("en",)))
    assert "Qwen3-0.6B renamed" in page.read_text(encoding="utf-8")
    assert (tmp_path / "site" / "pagefind" / "names.en.json").is_file()
    assert waiting(builder) is not ahead, "it was the one that built"
    second = json.loads(entry.read_text(encoding="utf-8"))
    assert second["languages"]["en"]["hash"] != first["languages"]["en"]["hash"]
    assert "renamed" in (tmp_path / "site" / "pagefind" / "names.en.json").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("site/pagefind-*"))
    assert [text.startswith("built in ") for text in said] == [True, True]


def test_a_data_error_is_said_and_nothing_is_built(tmp_path, reduced_data, builder_of):
    data = tmp_path / "data"
    shutil.copytree(reduced_data, data)
    rig = data / "rigs" / "4x-rtx-6000-ada.yml"
    rig.write_text(rig.read_text(encoding="utf-8").replace("count: 4", "count: -4"), encoding="utf-8")
    builder, said = builder_of(data)
    for _ in range(2):  # the second by a process that was started ahead and read the same
        assert not builder.build(Shown())
        waiting(builder)
    assert "4x-rtx-6000-ada.yml:" in said[0]
    assert "Traceback" not in said[0]
    assert said[:2] == said[2:]
    assert not (tmp_path / "site").exists()


def test_what_waits_is_ended_with_the_program_that_it_imported(tmp_path, builder_of):
    builder, _ = builder_of(tmp_path / "absent")
    assert not builder.build(Shown())
    ahead = waiting(builder)
    builder.forget()
    assert ahead.returncode is not None
    builder.close()
    assert not builder.build(Shown())
    assert builder._ahead is None


def test_a_line_holds_what_is_shown():
    for shown in (Shown(), Shown(("en",)), Shown(("ru", "en"), ("1x-l4", "2x-l4"))):
        assert Shown.of(shown.line) == shown


def test_a_rig_whose_file_changes_is_shown(tmp_path):
    shown = Shown(("en",), ("4x-rtx-6000-ada",))
    changed = [
        tmp_path / "rigs" / "1x-l4.yml",
        tmp_path / "gpus" / "nvidia" / "l4.yml",
        tmp_path / "rigs" / "notes.txt",
    ]
    assert shown.with_changed(map(str, changed), tmp_path).rigs == ("4x-rtx-6000-ada", "1x-l4")
    assert Shown().with_changed(map(str, changed), tmp_path).rigs == ()
