"""Independent parts of a build side by side, each in a process that starts with all that has been computed so far."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from generator.errors import BuildError

K = TypeVar("K")
V = TypeVar("V")


def possible() -> bool:
    """Whether a copy of this process can go on alone: not on Windows, and not beside threads: their locks stay held.

    On macOS the system's own libraries may not survive it.
    """
    platform = os.uname().sysname if hasattr(os, "uname") else "Windows"
    return platform == "Linux" and threading.active_count() == 1 and (os.cpu_count() or 1) > 1


def workers(groups: int) -> int:
    """Into how many parts each of `groups` like tasks is worth dividing, so that every processor has one."""
    return max(1, (os.cpu_count() or 1) // groups) if possible() else 1


def side_by_side(tasks: Mapping[K, Callable[[], V]]) -> dict[K, V]:
    """What each task returns, in the order given; one after the other where processes are not possible.

    What a task returns has to be picklable. An error of a task is raised here, that of the first in order, when all
    have ended; BuildError where a process ended without a word.
    """
    with beside(tasks, worth=2) as results:
        return results()


@contextmanager
def beside(tasks: Mapping[K, Callable[[], V]], worth: int = 1) -> Iterator[Callable[[], dict[K, V]]]:
    """Starts the tasks, and gives what waits for them and returns as `side_by_side` does; meanwhile go on with others.

    What has not ended by the end of the block is stopped. Where processes are not possible, or the tasks are fewer than
    `worth` it, they are done when they are waited for.
    """
    if len(tasks) < worth or not possible():
        yield lambda: {key: task() for key, task in tasks.items()}
        return
    # A fork, because the reports of all rigs would take longer to send than the work takes.
    context = multiprocessing.get_context("fork")
    running: list[tuple[K, BaseProcess, Connection]] = []
    try:
        for key, task in tasks.items():
            receiver, sender = context.Pipe(duplex=False)
            process: BaseProcess = context.Process(target=_run, args=(task, sender), daemon=True)
            process.start()
            sender.close()
            running.append((key, process, receiver))
        yield partial(_results, running)
    finally:
        for _, process, receiver in running:
            receiver.close()
            if process.is_alive():
                process.terminate()
                process.join()


def _results(running: Iterable[tuple[K, BaseProcess, Connection]]) -> dict[K, Any]:
    results: dict[K, Any] = {}
    errors: list[BaseException] = []
    for key, process, receiver in running:
        try:
            results[key] = _result(process, receiver)
        except Exception as error:  # noqa: BLE001 # whatever it is, the others may end first
            errors.append(error)
    if errors:
        raise errors[0]
    return results


def _result(process: BaseProcess, receiver: Connection) -> Any:
    """What a task returned; raises its error, BuildError where its process ended without a word."""
    try:
        result, error = receiver.recv()
    except EOFError:
        process.join()
        raise BuildError(f"a process of the build ended early, with code {process.exitcode}") from None
    process.join()
    if error is not None:
        raise error
    return result


def _run(task: Callable[[], Any], sender: Connection) -> None:
    """Sends what the task returns, or the error that it raises."""
    try:
        answer: tuple[Any, BaseException | None] = task(), None
    except Exception as error:  # noqa: BLE001 # whatever it is, it is the parent's to raise
        answer = None, error
    sender.send(answer)
