"""`serve`: the site on this machine, built again on every change; an error is shown and the last good site stays."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from generator.catalog.load import DATA_DIR
from generator.site.rebuild import Builder, Say, Shown
from generator.site.render import ROOT

WATCHED = ("docs", "generator", "mkdocs.yml", "mkdocs.en.yml")
IGNORED = ("__pycache__", ".pyc", "~", ".swp", ".tmp")
POLL_SECONDS = 0.4
EVERYTHING = Shown()
PROGRAM = ROOT / "generator"
RELOAD_PATH = "/.trainfit-reload"
RELOAD = (
    b'<script>new EventSource("%s").onmessage=function(){location.reload()}</script>' % RELOAD_PATH.encode()
)  # only ever sent by this server: no built page holds it


def snapshot(data_dir: Path, root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file that the site is made from."""
    return {str(path): (status.st_mtime_ns, status.st_size) for path, status in _files(data_dir, root)}


def _files(data_dir: Path, root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for base in (data_dir, *(root / name for name in WATCHED)):
        for path in (base,) if base.is_file() else base.rglob("*"):
            if any(part.endswith(IGNORED) for part in path.parts):
                continue
            try:
                status = path.stat()
            except OSError:  # removed while we look
                continue
            if not path.is_dir():
                yield path, status


class Handler(SimpleHTTPRequestHandler):
    """Files of the site, with its own page for a missing address and a line that reloads the page after a build."""

    server: Server

    def do_GET(self) -> None:
        """Answers with the file, or keeps the connection to tell of the next build."""
        if self.path == RELOAD_PATH:
            self._tell_of_builds()
            return
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.split("?")[0].endswith("/"):
            path /= "index.html"
        if path.suffix == ".html" and path.is_file():
            self._send_page(200, path)
        elif not path.exists():
            english = self.path.startswith("/en/") and (Path(self.directory) / "en").is_dir()
            self._send_page(404, Path(self.directory) / ("en/404.html" if english else "404.html"))
        else:
            super().do_GET()

    def _send_page(self, status: int, path: Path) -> None:
        try:
            body = path.read_bytes() + RELOAD
        except OSError:
            self.send_error(404)
            return
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _tell_of_builds(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            while not self.server.built.wait(10):
                self.wfile.write(b": still here\n\n")
                self.wfile.flush()
            self.wfile.write(b"data: built\n\n")
        except OSError:  # the reader went away
            return

    def log_message(self, *_: object) -> None:
        """Requests are not worth a line."""


class Server(ThreadingHTTPServer):
    """Serves one directory; `built` is set for a moment after each build."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], site_dir: Path) -> None:
        self.built = threading.Event()
        super().__init__(address, partial(Handler, directory=str(site_dir)))

    def tell(self) -> None:
        """Makes every open page reload."""
        self.built.set()
        self.built.clear()


def serve(
    site_dir: Path | None = None,
    data_dir: Path = DATA_DIR,
    host: str = "127.0.0.1",
    port: int = 8000,
    say: Say = print,
    stop: threading.Event | None = None,
    shown: Shown = EVERYTHING,
) -> None:
    """Builds, serves and builds again on every change of data/, docs/ or the generator, until interrupted or stopped.

    Raises OSError where the port is taken.
    """
    site_dir = site_dir or ROOT / "build" / "serve"
    stop = stop or threading.Event()
    site_dir.parent.mkdir(parents=True, exist_ok=True)
    with Server((host, port), site_dir) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        builder = Builder(site_dir, data_dir, say)
        seen = snapshot(data_dir)
        say("building…")
        builder.build(shown)
        say(f"http://{host}:{server.server_port}/ (Ctrl+C ends it)")
        try:
            while not stop.wait(POLL_SECONDS):
                now = snapshot(data_dir)
                if now == seen:
                    continue
                changed = sorted(path for path, _ in now.items() ^ seen.items())
                shown, seen = shown.with_changed(changed, data_dir), now
                if any(Path(path).is_relative_to(PROGRAM) for path in changed):
                    builder.forget()
                if builder.build(shown):
                    server.tell()
        except KeyboardInterrupt:
            say("")
        finally:
            builder.close()
            server.shutdown()
