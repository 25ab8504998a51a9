"""Parts of a build in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import threading

import pytest

from generator.errors import BuildError
from generator.site import side_by_side as module
from generator.site.side_by_side import beside, side_by_side, workers


def fail() -> int:
    raise BuildError("no")


def test_results_come_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    assert list(side_by_side({"b": lambda: 1, "a": lambda: 2}).items()) == [("b", 1), ("a", 2)]
    pids = side_by_side({"b": os.getpid, "a": os.getpid})
    assert os.getpid() not in pids.values()


def test_an_error_is_that_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    with pytest.raises(BuildError, match=r"^no$"):
        side_by_side({"a": fail, "b": lambda: 1})


def test_a_process_that_dies_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    with pytest.raises(BuildError, match="ended early, with code 3"):
        side_by_side({"a": lambda: os._exit(3), "b": lambda: 1})


def test_beside_threads_one_after_the_other() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert side_by_side({"a": os.getpid, "b": os.getpid}) == dict.fromkeys("ab", os.getpid())
    finally:
        stop.set()
        thread.join()


def test_what_goes_on_beside_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    with beside({"a": os.getpid}) as results:
        pass_on = results()
    assert pass_on["a"] != os.getpid()


def test_what_has_not_ended_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    with pytest.raises(BuildError, match=r"^no$"), beside({"a": threading.Event().wait}):
        fail()
    assert not multiprocessing.active_children()


def test_parts_for_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert [workers(groups) for groups in (1, 2, 3, 8)] == [4, 2, 1, 1]
    monkeypatch.setattr(module, "possible", lambda: False)
    assert workers(1) == 1
