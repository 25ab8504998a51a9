"""A local stand-in of the Hugging Face Hub: a real HTTP server that answers the two requests of `trainfit add`."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """Answers by path: status, headers and body. Remembers what it was asked."""

    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and Authorization of each request."""
    url: str = ""

    def model(self, repository: str, config: Any, revision: str = "main", **record: Any) -> None:
        """Adds a model whose `revision` is COMMIT."""
        body = {"id": repository, "sha": COMMIT, "gated": False, **record}
        self.json(f"/api/models/{repository}/revision/{revision}", body)
        # The Hub redirects to where it keeps small files.
        cached = f"/api/resolve-cache/models/{repository}/{COMMIT}/config.json"
        self.answers[f"/{repository}/resolve/{COMMIT}/config.json"] = (307, {"Location": cached}, b"")
        self.json(cached, config)

    def json(self, path: str, body: Any, status: int = 200) -> None:
        """Adds an answer of JSON."""
        self.answers[path] = (status, {"Content-Type": "application/json"}, json.dumps(body).encode())


@contextmanager
def hub() -> Iterator[Hub]:
    """The server, on a free port of this machine."""
    here = Hub()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here.asked.append((self.path, self.headers.get("Authorization")))
            status, headers, body = here.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    here.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
