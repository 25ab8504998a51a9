"""Serving: pages, missing pages, rebuilding on a change, surviving an error."""

from __future__ import annotations

import shutil
import threading
import time
import urllib.error
import urllib.request

import pytest

from generator.site import serve as serving
from generator.site.serve import RELOAD, RELOAD_PATH, Server, Shown, rebuild, serve, snapshot
from tests.support import MODEL, edit, tiny_catalog


@pytest.fixture
def small_site(tmp_path):
    site = tmp_path / "site"
    (site / "en").mkdir(parents=True)
    for name, text in {"index.html": "home", "404.html": "нет", "en/404.html": "no", "a.css": "x"}.items():
        (site / name).write_text(text, encoding="utf-8")
    return site


@pytest.fixture
def server(small_site):
    with Server(("127.0.0.1", 0), small_site) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{path}") as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_pages_files_and_missing_pages(server):
    assert get(server, "/") == (200, b"home" + RELOAD)
    assert get(server, "/a.css") == (200, b"x")
    assert get(server, "/absent/") == (404, "нет".encode() + RELOAD)
    assert get(server, "/en/absent/") == (404, b"no" + RELOAD)
    assert get(server, "/../../etc/passwd")[0] == 404


def test_an_open_page_hears_of_a_build(server):
    lines = []

    def listen():
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{RELOAD_PATH}") as answer:
            lines.append(answer.readline())

    listener = threading.Thread(target=listen)
    listener.start()
    while listener.is_alive():
        server.tell()
        time.sleep(0.02)
    listener.join()
    assert lines == [b"data: built\n"]


def test_a_change_is_seen_and_an_error_is_survived(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    (data / "x.yml").write_text("1", encoding="utf-8")
    builds, said, stop = [], [], threading.Event()

    def fake(_site_dir, data_dir, _say, _shown):
        builds.append((data_dir / "x.yml").read_text(encoding="utf-8"))
        return len(builds) != 2

    monkeypatch.setattr(serving, "rebuild", fake)
    monkeypatch.setattr(serving, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(serving, "WATCHED", ())
    thread = threading.Thread(
        target=serve, args=(tmp_path / "site", data), kwargs={"port": 0, "say": said.append, "stop": stop}
    )
    thread.start()
    wait_for(lambda: len(said) > 1)
    for text in ("22", "333"):
        (data / "x.yml").write_text(text, encoding="utf-8")
        wait_for(lambda wanted=text: wanted in builds)
    stop.set()
    thread.join()
    assert builds == ["1", "22", "333"]
    assert said[0] == "building…"
    assert said[1].startswith("http://127.0.0.1:")


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_a_build_is_told_of_and_shows_the_edit(tmp_path):
    data, said = tiny_catalog(tmp_path), []
    page = tmp_path / "site" / "en" / "models" / "qwen3-0.6b" / "index.html"
    assert rebuild(tmp_path / "site", data, said.append, Shown(("en",)))
    edit(data, MODEL, "name: Qwen3-0.6B\n", "name: Qwen3-0.6B renamed\n")
    assert rebuild(tmp_path / "site", data, said.append, Shown(("en",)))
    assert "Qwen3-0.6B renamed" in page.read_text(encoding="utf-8")
    assert [text.startswith("built in ") for text in said] == [True, True]


def test_a_data_error_is_said_and_nothing_is_built(tmp_path, reduced_data):
    data = tmp_path / "data"
    shutil.copytree(reduced_data, data)
    rig = data / "rigs" / "4x-rtx-6000-ada.yml"
    rig.write_text(rig.read_text(encoding="utf-8").replace("count: 4", "count: -4"), encoding="utf-8")
    said = []
    assert not rebuild(tmp_path / "site", data, said.append)
    assert "4x-rtx-6000-ada.yml:" in said[0]
    assert "Traceback" not in said[0]
    assert not (tmp_path / "site").exists()


def test_what_is_watched(tmp_path):
    (tmp_path / "docs" / "__pycache__").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").touch()
    (tmp_path / "docs" / "__pycache__" / "a.pyc").touch()
    (tmp_path / "mkdocs.yml").touch()
    (tmp_path / "elsewhere").touch()
    assert sorted(path.rpartition("/")[2] for path in snapshot(tmp_path / "data", tmp_path)) == ["a.md", "mkdocs.yml"]


def test_a_rig_whose_file_changes_is_shown(tmp_path):
    shown = Shown(("en",), ("4x-rtx-6000-ada",))
    changed = [
        tmp_path / "rigs" / "1x-l4.yml",
        tmp_path / "gpus" / "nvidia" / "l4.yml",
        tmp_path / "rigs" / "notes.txt",
    ]
    assert shown.with_changed(map(str, changed), tmp_path).rigs == ("4x-rtx-6000-ada", "1x-l4")
    assert Shown().with_changed(map(str, changed), tmp_path).rigs == ()
