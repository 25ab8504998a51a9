"""Opening pages of other people, on real local servers that behave well and badly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.catalog import web as module
from generator.catalog.link_check import SourceCheck, check_source, folded, readable, visible_text
from generator.catalog.records import Source
from generator.catalog.web import Fetcher, Manners
from tests.web_stand_in import Web, dripping, endless, in_turn, page, raw, redirect, silent, web

HOST = "good.example.org"
QUICK = Manners(timeout=5, deadline=10, distance=3, attempts=3, pause=5)


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def here() -> Iterator[Web]:
    with web() as server:
        yield server


def fetcher(here: Web, manners: Manners = QUICK, *hosts: str) -> tuple[Fetcher, Clock]:
    clock = Clock()
    return Fetcher(manners, here.routes(HOST, *hosts), clock, clock.sleep), clock


def source(path: str = "/x", **fields: object) -> Source:
    raw_source = {
        "title": "X", "publisher": "X", "type": "article", "url": f"https://{HOST}{path}", "read": "2026-12-01",
        "access": "page", **fields,
    }  # fmt: skip
    return Source.model_validate(raw_source)


def check(here: Web, *quotes: str, path: str = "/x", manners: Manners = QUICK, **fields: object) -> SourceCheck:
    found, _ = fetcher(here, manners, "other.example.org")
    return check_source(found, "x", source(path, **fields), quotes, {})


def test_a_page_that_prints_what_is_quoted(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("<p>Memory: <b>48&nbsp;GB</b> GDDR6 with&#x20;ECC")
    assert check(here, "48 GB GDDR6 with ECC").finding == "same"
    assert here.asked == [f"{HOST}/robots.txt", f"{HOST}/x"]
    assert here.agents == {"trainfit-sources"}


def test_a_page_that_prints_something_else(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("<p>Memory: 96 GB")
    found = check(here, "96 GB", "48 GB")
    assert (found.finding, found.missing) == ("changed", ("48 GB",))


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone(here: Web, status: int) -> None:
    here.replies[f"{HOST}/x"] = page("", status=status)
    found = check(here, "48 GB")
    assert (found.finding, found.detail) == ("gone", f"status {status}")


@pytest.mark.parametrize("status", [301, 308])
def test_a_page_that_moved_says_where(here: Web, status: int) -> None:
    here.replies[f"{HOST}/x"] = redirect("https://other.example.org/y", status)
    here.replies["other.example.org/y"] = page("48 GB")
    found = check(here, "48 GB")
    assert (found.finding, found.url) == ("moved", "https://other.example.org/y")
    assert "other.example.org/robots.txt" in here.asked, "the new host has its rules"


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_detour_is_not_a_move(here: Web, status: int) -> None:
    here.replies[f"{HOST}/x"] = redirect("y?a=%D0%B6 b", status)
    here.replies[f"{HOST}/y?a=%D0%B6%20b"] = page("48 GB")
    assert check(here, "48 GB").finding == "same"


@pytest.mark.parametrize("status", [401, 403, 451])
def test_a_host_that_refuses(here: Web, status: int) -> None:
    here.replies[f"{HOST}/x"] = page("", status=status)
    assert check(here).finding == "refused"


def test_robots_are_obeyed(here: Web) -> None:
    here.replies[f"{HOST}/robots.txt"] = page("User-agent: *\nDisallow: /x\n", "text/plain")
    here.replies[f"{HOST}/x"] = page("48 GB")
    found = check(here, "48 GB")
    assert (found.finding, found.detail) == ("refused", "robots.txt asks not to open it")
    assert here.asked == [f"{HOST}/robots.txt"]


def test_robots_that_are_closed_close_the_host(here: Web) -> None:
    here.replies[f"{HOST}/robots.txt"] = page("", status=403)
    here.replies[f"{HOST}/x"] = page("48 GB")
    assert check(here).finding == "refused"


def test_requests_keep_their_distance_and_robots_are_read_once(here: Web) -> None:
    here.replies[f"{HOST}/x"] = here.replies[f"{HOST}/y"] = page("48 GB")
    found, clock = fetcher(here)
    for path in ("/x", "/y"):
        assert found.open(f"https://{HOST}{path}").outcome == "opened"
    assert here.asked == [f"{HOST}/robots.txt", f"{HOST}/x", f"{HOST}/y"]
    assert clock.slept == [3, 3]


@pytest.mark.parametrize(("asked", "kept"), [("10", 10), ("100000", 30)])
def test_a_host_may_ask_for_more_distance(here: Web, asked: str, kept: float) -> None:
    here.replies[f"{HOST}/robots.txt"] = page(f"User-agent: *\nCrawl-delay: {asked}\n", "text/plain")
    here.replies[f"{HOST}/x"] = page("48 GB")
    found, clock = fetcher(here)
    for _ in range(2):
        found.open(f"https://{HOST}/x")
    assert clock.slept[-1] == kept


def test_what_may_pass_is_tried_again(here: Web) -> None:
    here.replies[f"{HOST}/x"] = in_turn(page("", status=503), page("", status=429, Retry_After="20"), page("48 GB"))
    found, clock = fetcher(here)
    assert found.open(f"https://{HOST}/x").outcome == "opened"
    assert [slept for slept in clock.slept if slept > 3] == [5, 20]


def test_what_does_not_pass_is_given_up(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("", status=500)
    found = check(here)
    assert (found.finding, found.detail) == ("unreachable", "status 500")
    assert here.asked.count(f"{HOST}/x") == 3


def test_a_page_without_end(here: Web) -> None:
    here.replies[f"{HOST}/x"] = endless
    found = check(here, "48 GB")
    assert (found.finding, found.detail) == ("unreadable", "more than 4 MiB")


@pytest.mark.parametrize("reply", [dripping, silent])
def test_a_server_that_keeps_one_waiting(here: Web, reply: object) -> None:
    here.replies[f"{HOST}/x"] = reply  # type: ignore[assignment]
    found = check(here, manners=Manners(timeout=0.5, deadline=0.5, attempts=1))
    assert found.finding == "unreachable"
    assert found.detail in ("not finished after 0.5 s", "timed out")


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\xfe", b"HTTP/1.1 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"]
)
def test_an_answer_that_is_no_http(here: Web, content: bytes) -> None:
    here.replies[f"{HOST}/x"] = raw(content)
    assert check(here, "48 GB", manners=Manners(attempts=1)).finding in ("unreachable", "changed")


def test_a_circle_of_redirects(here: Web) -> None:
    here.replies[f"{HOST}/x"] = redirect(f"https://{HOST}/y")
    here.replies[f"{HOST}/y"] = redirect(f"https://{HOST}/x")
    found = check(here)
    assert (found.finding, found.detail) == ("unreachable", "more than 5 redirects")


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd", "ftp://example.org/x", "gopher://example.org/", "http://127.0.0.1/", "http://localhost/",
        "http://[::1]/", "http://10.0.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://0x7f.1/", "http://0/", "http://user:word@example.org/",
        "javascript:alert(1)", "http://[bad/", "http://example.org:99999/", "//127.0.0.1/x",
    ],
)  # fmt: skip
def test_no_redirect_leads_into_this_machine_or_its_network(here: Web, target: str) -> None:
    here.replies[f"{HOST}/x"] = redirect(target)
    found = check(here)
    assert found.finding in ("unsafe", "unreachable"), found
    assert here.asked == [f"{HOST}/robots.txt", f"{HOST}/x"]
    if "127.0.0.1" in target or "169.254" in target or target.startswith(("file", "javascript")):
        assert found.finding == "unsafe"


def test_a_name_that_leads_into_the_network_is_not_opened(here: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_: str, port: int, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(2, 1, 6, "", ("93.184.216.34", port)), (2, 1, 6, "", ("127.0.0.1", here.port))]

    monkeypatch.setattr(module.socket, "getaddrinfo", answer)
    assert Fetcher(QUICK, sleep=lambda _: None).open("http://rebound.example.org/").outcome == "unsafe"
    assert here.asked == []


def test_the_address_that_was_looked_at_is_the_one_that_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def create(address: tuple[str, int], _: float) -> None:
        opened.append(address)
        raise OSError("refused")

    answers = iter([[(2, 1, 6, "", ("93.184.216.34", 80))], [(2, 1, 6, "", ("93.184.216.34", 80))]])
    monkeypatch.setattr(module.socket, "getaddrinfo", lambda *_, **__: next(answers))
    monkeypatch.setattr(module.socket, "create_connection", create)
    manners = Manners(attempts=1, distance=0)
    assert Fetcher(manners, sleep=lambda _: None).open("http://rebound.example.org/").outcome == "unreachable"
    assert opened == [("93.184.216.34", 80)] * 2, "robots.txt and the page; no name is looked up again"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("цена 48 ГБ".encode("cp1251"), "text/html; charset=windows-1251"),
        ("<meta charset=cp1251>цена 48 ГБ".encode("cp1251"), "text/html"),
        ("цена 48 ГБ".encode(), "text/html; charset=latin-99"),
        ("цена 48 ГБ".encode("koi8-r"), 'text/html; charset="KOI8-R"'),
        ("<p>цена\n<b>48</b> ГБ</p>".encode(), "text/html; charset=utf-8"),
        (b"<p>\xff\xfe\xfa " + "цена 48 ГБ".encode(), "text/html; charset=utf-8"),
    ],
)
def test_words_in_other_encodings(here: Web, body: bytes, content_type: str) -> None:
    here.replies[f"{HOST}/x"] = page(body, content_type)
    assert check(here, "цена 48 ГБ").finding == "same"


def test_a_wrong_encoding_is_a_change_not_a_crash(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("цена 48 ГБ".encode(), "text/html; charset=utf-16")
    assert check(here, "цена 48 ГБ").finding == "changed"


def test_what_is_no_text_cannot_be_read(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page(b"%PDF-1.7", "application/pdf")
    found = check(here, "48 GB")
    assert (found.finding, found.detail) == ("unreadable", "application/pdf")
    assert check(here).finding == "same", "nothing is quoted from it: it is there, and that is enough"


def test_words_that_only_the_copy_prints(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("the official page")
    here.replies["other.example.org/copy"] = page("48 GB")
    assert check(here, "48 GB", access="copy", seen_at="https://other.example.org/copy").finding == "same"
    assert check(here, "49 GB", access="copy", seen_at="https://other.example.org/copy").missing == ("49 GB",)


def test_an_exception_is_not_opened_but_its_copy_is(here: Web) -> None:
    here.replies["other.example.org/copy"] = page("48 GB")
    found, _ = fetcher(here, QUICK, "other.example.org")
    for name in ("x", HOST):
        assert check_source(found, "x", source(), ["48 GB"], {name: "why"}) == SourceCheck(
            "x", "skipped", f"https://{HOST}/x", "why"
        )
    copied = source(access="copy", seen_at="https://other.example.org/copy")
    assert check_source(found, "x", copied, ["48 GB"], {"x": "why"}).finding == "same"
    assert not any(name.startswith(HOST) for name in here.asked)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/a/b/blob/main/c/d.py", "https://raw.githubusercontent.com/a/b/main/c/d.py"),
        ("https://huggingface.co/a/b/blob/main/config.json", "https://huggingface.co/a/b/resolve/main/config.json"),
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("https://huggingface.co/a/b", "https://huggingface.co/a/b"),
    ],
)
def test_the_text_itself_is_opened(url: str, expected: str) -> None:
    assert readable(url) == expected


def test_code_is_found_in_the_json_of_a_page(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page('<script type="application/json">{"lines": ["x = \\"48\\" &amp; y"]}</script>')
    assert check(here, 'x = "48" & y').finding == "same"


def test_parts_of_a_quotation(here: Web) -> None:
    here.replies[f"{HOST}/x"] = page("<td>Memory</td><td>48 GB</td><td>Power</td><td>300 W</td>")
    assert check(here, "Memory 48 GB … 300 W").finding == "same"
    assert check(here, "Memory 48 GB … 301 W").finding == "changed"


def test_what_is_hidden_is_no_text() -> None:
    assert folded(visible_text("<style>a</style>b<script>c</script>d<!-- e -->f<td>g</td>h")) == "b df g h"
    assert folded("“4–8\u00a0×” ﬁ") == '"4-8 ×" fi'
