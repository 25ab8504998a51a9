"""Serving: pages, missing pages, rebuilding on a change, surviving an error."""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request

import pytest

from generator.site import serve as serving
from generator.site.serve import RELOAD, RELOAD_PATH, Server, serve, snapshot


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

    class Fake:
        def __init__(self, _site_dir, data_dir, _say):
            self.data_dir = data_dir

        def build(self, _shown):
            builds.append((self.data_dir / "x.yml").read_text(encoding="utf-8"))
            return len(builds) != 2

        def forget(self):
            builds.append("forgotten")

        def close(self):
            builds.append("closed")

    monkeypatch.setattr(serving, "Builder", Fake)
    monkeypatch.setattr(serving, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(serving, "WATCHED", ())
    monkeypatch.setattr(serving, "PROGRAM", data / "program")
    thread = threading.Thread(
        target=serve, args=(tmp_path / "site", data), kwargs={"port": 0, "say": said.append, "stop": stop}
    )
    thread.start()
    wait_for(lambda: len(said) > 1)
    for text in ("22", "333"):
        (data / "x.yml").write_text(text, encoding="utf-8")
        wait_for(lambda wanted=text: wanted in builds)
    (data / "program").mkdir()
    (data / "program" / "hook.py").touch()
    wait_for(lambda: builds[-2:] == ["forgotten", "333"])
    stop.set()
    thread.join()
    assert builds == ["1", "22", "333", "forgotten", "333", "closed"]
    assert said[0] == "building…"
    assert said[1].startswith("http://127.0.0.1:")


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_is_watched(tmp_path):
    (tmp_path / "docs" / "__pycache__").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").touch()
    (tmp_path / "docs" / "__pycache__" / "a.pyc").touch()
    (tmp_path / "mkdocs.yml").touch()
    (tmp_path / "elsewhere").touch()
    assert sorted(path.rpartition("/")[2] for path in snapshot(tmp_path / "data", tmp_path)) == ["a.md", "mkdocs.yml"]
