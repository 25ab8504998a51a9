"""Parts of a build in processes of their own: the same results in the same order, and nobody's error is lost."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from generator.errors import BuildError
from generator.site import side_by_side as module
from generator.site.side_by_side import side_by_side

ALONE, TOGETHER = pytest.param(False, id="one by one"), pytest.param(True, id="side by side")


@pytest.fixture(params=[ALONE, TOGETHER])
def possible(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether processes are possible; both have to come to the same."""
    monkeypatch.setattr(module, "possible", lambda: request.param)
    return bool(request.param)


def failing(error: Exception) -> None:
    raise error


def test_results_come_in_the_order_of_the_tasks(possible: bool) -> None:
    found = side_by_side({name: partial("{}{}".format, name, 1) for name in "cab"})
    assert list(found.items()) == [("c", "c1"), ("a", "a1"), ("b", "b1")]
    own = side_by_side(dict.fromkeys("ab", os.getpid))
    assert (os.getpid() in own.values()) is not possible


@pytest.mark.parametrize("error", [BuildError("no such message"), OSError(28, "no room")])
def test_the_error_of_a_task_is_raised(possible: bool, error: Exception) -> None:  # noqa: ARG001
    with pytest.raises(type(error), match=r"no such message|no room"):
        side_by_side({"good": os.getpid, "bad": partial(failing, error)})


def test_a_process_that_is_killed_is_an_error_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "possible", lambda: True)

    def killed() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(BuildError, match="ended early, with code -9"):
        side_by_side({"good": os.getpid, "bad": killed})
