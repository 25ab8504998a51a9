"""Local web servers that behave well and badly, for what opens pages of other people."""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Reply = Callable[[http.server.BaseHTTPRequestHandler], None]


def page(body: bytes | str, content_type: str = "text/html; charset=utf-8", status: int = 200, **headers: str) -> Reply:
    """A plain answer."""
    content = body.encode() if isinstance(body, str) else body

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        if content_type:
            handler.send_header("Content-Type", content_type)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def redirect(target: str, status: int = 302) -> Reply:
    """An answer that leads elsewhere."""
    return page(b"", "", status, Location=target)


def in_turn(*replies: Reply) -> Reply:
    """One answer after another, the last one again and again."""
    waiting = list(replies)

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        (waiting.pop(0) if len(waiting) > 1 else waiting[0])(handler)

    return reply


def endless(handler: http.server.BaseHTTPRequestHandler) -> None:
    """A page without end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    with contextlib.suppress(OSError):
        while True:
            handler.wfile.write(b"x" * 65536)


def dripping(handler: http.server.BaseHTTPRequestHandler) -> None:
    """A page that comes a byte at a time, until the reader gives up."""
    stopped = threading.Event()
    with contextlib.suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Slow: ")
        while not stopped.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()


def silent(handler: http.server.BaseHTTPRequestHandler) -> None:
    """No answer: waits until the reader hangs up."""
    with contextlib.suppress(OSError):
        handler.connection.settimeout(30)
        handler.rfile.read(1)


def raw(content: bytes) -> Reply:
    """Bytes that need be no HTTP."""

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        with contextlib.suppress(OSError):
            handler.wfile.write(content)
            handler.connection.shutdown(socket.SHUT_RDWR)

    return reply


@dataclass
class Web:
    """Replies by host and path (`good.example.org/x`), and what was asked."""

    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    port: int = 0

    def routes(self, *hosts: str) -> dict[str, tuple[str, int]]:
        """Where a fetcher finds these hosts."""
        return dict.fromkeys(hosts, ("127.0.0.1", self.port))


@contextmanager
def web() -> Iterator[Web]:
    """The server, for any number of hosts, on a free port of this machine."""
    here = Web()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = f"{self.headers.get('Host', '')}{self.path}"
            here.asked.append(name)
            here.agents.add(self.headers.get("User-Agent", ""))
            here.replies.get(name, page("nothing here", status=404))(self)
            self.close_connection = True

        def log_message(self, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    here.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
