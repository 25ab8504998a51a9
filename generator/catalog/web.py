"""Opens pages of other people: politely, within bounds, and nothing but public addresses over HTTP.

robots.txt is obeyed, requests to one host keep a distance, failures that may pass are tried again. A redirect is
followed to public hosts alone: neither files nor the network that this machine stands in can be reached through one.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.robotparser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["opened", "moved", "gone", "refused", "unreachable", "unsafe", "too-large"]
"""moved: opened at another address, for good; refused: the host does not want to be asked; unsafe: leads to where no
source can be; too-large: more than is read."""

AGENT = "trainfit-sources"
MAX_BYTES = 4 * 1024 * 1024
MAX_REDIRECTS = 6
PERMANENT = (301, 308)
TEMPORARY = (302, 303, 307)
GONE = (404, 410)
REFUSED = (401, 402, 403, 405, 406, 429, 451)
CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of opening an address."""

    outcome: Outcome
    url: str
    """Address that was opened in the end."""
    detail: str = ""
    """What went wrong, in a few words."""
    body: bytes = b""
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the fetcher behaves; times in seconds."""

    timeout: float = 20.0
    """Without a byte."""
    deadline: float = 60.0
    """For a whole page."""
    distance: float = 3.0
    """Between two requests to a host; its robots.txt may ask for more."""
    longest_distance: float = 30.0
    attempts: int = 3
    pause: float = 5.0
    """Before the second attempt; twice as long before the third."""


class _Failure(Exception):
    """An attempt that failed and may be tried again."""


class _Unsafe(Exception):
    """An address that is not public."""


@dataclass
class Fetcher:
    """Opens addresses one after another and remembers what each host wants."""

    manners: Manners = field(default_factory=Manners)
    routes: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Host → address and port at which it is reached in plain HTTP instead: a stand-in or a mirror of one's own."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _robots: dict[str, urllib.robotparser.RobotFileParser | None] = field(default_factory=dict)
    _ready: dict[str, float] = field(default_factory=dict)

    def open(self, url: str) -> Answer:
        """What came of it; never raises for what a server may do."""
        moved = False
        here = url
        for _ in range(MAX_REDIRECTS):
            try:
                status, headers, body = self._polite(here)
            except _Unsafe as problem:
                return Answer("unsafe", here, str(problem))
            except _Refusal as problem:
                return Answer("refused", here, str(problem))
            except _Failure as problem:
                return Answer("unreachable", here, str(problem))
            if status in PERMANENT or status in TEMPORARY:
                moved = moved or status in PERMANENT
                here = _joined(here, headers.get("location", ""))
                continue
            return _judged(status, headers, body, here, moved=moved)
        return Answer("unreachable", here, f"more than {MAX_REDIRECTS - 1} redirects")

    def _polite(self, url: str) -> tuple[int, Mapping[str, str], bytes | None]:
        parts = _parts(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(origin)
        robots = self._robots[origin]
        if robots is not None and not robots.can_fetch(AGENT, url):
            raise _Refusal("robots.txt asks not to open it")
        return self._tried(url)

    def _read_robots(self, origin: str) -> urllib.robotparser.RobotFileParser | None:
        """The rules of a host; none where it has none. A host that does not answer has its say at the page itself."""
        try:
            status, _, body = self._tried(f"{origin}/robots.txt", attempts=1)
        except _Failure:
            return None
        parser = urllib.robotparser.RobotFileParser()
        if status in (401, 403):
            parser.parse(["User-agent: *", "Disallow: /"])
            return parser
        if status != 200 or body is None:
            return None
        parser.parse(body.decode("utf-8", "replace").splitlines())
        return parser

    def _tried(self, url: str, attempts: int | None = None) -> tuple[int, Mapping[str, str], bytes | None]:
        most = attempts or self.manners.attempts
        pause = self.manners.pause
        for attempt in range(1, most + 1):
            try:
                status, headers, body = self._once(url)
            except _Failure:
                if attempt == most:
                    raise
            else:
                if status < 500 and status != 429:
                    return status, headers, body
                if attempt == most:
                    return status, headers, body
                pause = max(pause, _retry_after(headers, self.manners.longest_distance))
            self.sleep(pause)
            pause *= 2
        raise AssertionError

    def _once(self, url: str) -> tuple[int, Mapping[str, str], bytes | None]:
        """Status, headers in lower case and body (none where it is too large) of one request."""
        parts = _parts(url)
        host = parts.hostname or ""
        self._wait(host)
        connection = self._connection(parts)
        late = threading.Event()
        watch = threading.Timer(self.manners.deadline, _cut, (connection, late))
        watch.daemon = True
        watch.start()
        try:
            path = urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
            query = f"?{urllib.parse.quote(parts.query, safe='/%:@!$&()*+,;=~-._?')}" if parts.query else ""
            headers = {"User-Agent": AGENT, "Accept": "text/html, */*;q=0.5", "Accept-Encoding": "identity"}
            connection.request("GET", path + query, headers={**headers, "Host": parts.netloc})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            body = _body(answer)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _Failure(self._late() if late.is_set() else _words(error)) from error
        finally:
            watch.cancel()
            connection.close()
            self._ready[host] = self.clock() + self._distance(parts)
        if late.is_set():
            raise _Failure(self._late())
        return answer.status, found, body

    def _late(self) -> str:
        return f"not finished after {self.manners.deadline:g} s"

    def _wait(self, host: str) -> None:
        left = self._ready.get(host, 0.0) - self.clock()
        if left > 0:
            self.sleep(left)

    def _distance(self, parts: urllib.parse.SplitResult) -> float:
        robots = self._robots.get(f"{parts.scheme}://{parts.netloc}")
        wanted = robots.crawl_delay(AGENT) if robots is not None and robots.mtime() else None
        return min(max(self.manners.distance, float(wanted or 0)), self.manners.longest_distance)

    def _connection(self, parts: urllib.parse.SplitResult) -> http.client.HTTPConnection:
        host = parts.hostname or ""
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError as error:
            raise _Unsafe("no port") from error
        route = self.routes.get(host)
        timeout = self.manners.timeout
        if route is not None:
            return http.client.HTTPConnection(*route, timeout=timeout)
        address = public_address(host, port)
        if parts.scheme == "https":
            return _PinnedTls(host, port, address, timeout)
        return _Pinned(host, port, address, timeout)


def _body(answer: http.client.HTTPResponse) -> bytes | None:
    """The body; none where it is too large."""
    pieces: list[bytes] = []
    size = 0
    while piece := answer.read1(CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            return None
    return b"".join(pieces)


def _cut(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """Ends a connection that takes too long, whatever it is waiting for."""
    late.set()
    with contextlib.suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


class _Refusal(Exception):
    """The host does not want this page to be opened by a program."""


class _Pinned(http.client.HTTPConnection):
    """Connects to the address that was looked at, whatever the name means a moment later."""

    def __init__(self, host: str, port: int, address: str, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout)
        self._address = address

    def connect(self) -> None:
        """Opens the socket."""
        self.sock = socket.create_connection((self._address, self.port), self.timeout)


class _PinnedTls(http.client.HTTPSConnection):
    """The same with TLS, the certificate checked against the name."""

    def __init__(self, host: str, port: int, address: str, timeout: float) -> None:
        self._trust = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._trust)
        self._address = address

    def connect(self) -> None:
        """Opens the socket and shakes hands."""
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._trust.wrap_socket(plain, server_hostname=self.host)


def public_address(host: str, port: int) -> str:
    """An address of the host, all of whose addresses are public.

    Raises _Unsafe where one is not, _Failure where the name leads nowhere.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _Failure(_words(error)) from error
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise _Unsafe("leads to an address that is not public")
    if not addresses:
        raise _Failure("no address")
    return addresses[0]


def _parts(url: str) -> urllib.parse.SplitResult:
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError as error:
        raise _Unsafe("leads to what is no address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise _Unsafe("leads to what is no http(s) address")
    return parts


def _joined(base: str, location: str) -> str:
    """Where a redirect leads; what is no address stays as it is and is refused when it is to be opened."""
    try:
        return urllib.parse.urljoin(base, location)
    except ValueError:
        return location


def _judged(status: int, headers: Mapping[str, str], body: bytes | None, url: str, *, moved: bool) -> Answer:
    if status in GONE:
        return Answer("gone", url, f"status {status}")
    if status in REFUSED:
        return Answer("refused", url, f"status {status}")
    if status != 200:
        return Answer("unreachable", url, f"status {status}")
    if body is None:
        return Answer("too-large", url, f"more than {MAX_BYTES // 1024**2} MiB")
    return Answer("moved" if moved else "opened", url, "", body, headers.get("content-type", ""))


def _retry_after(headers: Mapping[str, str], most: float) -> float:
    wanted = headers.get("retry-after", "")
    return min(float(wanted), most) if wanted.isascii() and wanted.isdigit() and len(wanted) < 7 else 0.0


def _words(error: Exception) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())[:120] or type(error).__name__
