"""The site, built once for all workers, served at a root and below a path; a browser to look at it."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from generator.site import build as building
from generator.site.build import build

SUB_PATH = "/name/"
CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="session")
def site_dir(shared_dir: Path, reduced_data: Path) -> Path:
    """The site of the reduced data in both languages: the first worker builds it, the others wait.

    TRAINFIT_TEST_SITE names a finished site to look at instead, such as the one that `make site` builds.
    """
    if finished := os.environ.get("TRAINFIT_TEST_SITE"):
        return Path(finished).resolve()
    target = shared_dir / "site"
    with (shared_dir / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            build(reduced_data, target, work_dir=shared_dir / "work")
    return target


@pytest.fixture
def without_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds in which neither MkDocs nor Pagefind runs: an empty page for each language instead."""

    @contextmanager
    def ready(languages: Sequence[str], work_dir: Path, _: object) -> Iterator[Callable[[], dict[str, Path]]]:
        yield lambda: mkdocs(languages, work_dir)

    def mkdocs(languages: Sequence[str], work_dir: Path) -> dict[str, Path]:
        pages = {language: work_dir / "html" / language for language in languages}
        for folder in pages.values():
            folder.mkdir(parents=True)
            (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")
        return pages

    monkeypatch.setattr(building, "mkdocs_ready", ready)
    monkeypatch.setattr(building.styles, "trim", lambda *_: None)
    monkeypatch.setattr(building.search, "index", lambda *_: None)


class _Handler(SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        return super().translate_path("/" + path[len(SUB_PATH) :] if path.startswith(SUB_PATH) else path)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture(scope="session")
def address(site_dir: Path) -> Iterator[str]:
    """Address of a server that shows the site at `/` and again at `/name/`; ends in a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(site_dir))) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium: the one that TRAINFIT_CHROMIUM names, else Debian's, else Playwright's own."""
    executable = os.environ.get("TRAINFIT_CHROMIUM") or (CHROMIUM if Path(CHROMIUM).exists() else None)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield chromium
        chromium.close()


class Watcher:
    """Opens pages and collects whatever goes wrong on them."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", lambda message: self._note("console", f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.on("request", lambda request: request.url.startswith(origin) or self._note("elsewhere", request.url))
        page.on("response", lambda answer: answer.status < 400 or self._note("status", f"{answer.status} {answer.url}"))

    def _note(self, kind: str, text: str) -> None:
        self.problems.append(f"{kind}: {text}")

    def scrolls_sideways(self) -> bool:
        """Whether the document is wider than the window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.fixture
def open_page(browser: Browser, address: str):
    """Gives `open_page(path, width=…, scheme=…, javascript=…)`: a Watcher of the loaded page."""
    contexts = []

    def opened(path: str, *, width: int = 1280, scheme: str = "light", javascript: bool = True) -> Watcher:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        watcher = Watcher(page, address)
        page.goto(address + path, wait_until="load")
        return watcher

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def paths(site_dir: Path) -> list[str]:
    """Paths of all pages of a language, as in `Page.path`; embeds are no pages."""
    pages = (file.parent for file in site_dir.rglob("index.html") if file.parent.name != "embed")
    found = (page.relative_to(site_dir).as_posix() for page in pages)
    return sorted("" if path == "." else f"{path}/" for path in found if path != "en" and not path.startswith("en/"))


@pytest.fixture(scope="session")
def build_facts(site_dir: Path) -> dict:
    """What the site says about itself."""
    return json.loads((site_dir / "build.json").read_text(encoding="utf-8"))
