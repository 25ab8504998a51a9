"""MkDocs that waits: it ends with whoever started it, and an early end is told by its own words."""

from __future__ import annotations

import subprocess
import sys

import pytest

from generator.errors import BuildError
from generator.site import mkdocs_ready as ready
from generator.site.mkdocs_ready import mkdocs_ready, run_mkdocs


def test_it_ends_without_a_word_when_nobody_is_left_to_give_it_one(repo_root):
    command = [sys.executable, "-m", "generator.site.mkdocs_ready", "build", "--config-file", "absent.yml"]
    run = subprocess.run(command, cwd=repo_root, input="", capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


def test_it_is_ended_where_the_pages_are_never_made(tmp_path, monkeypatch):
    started = []
    start = subprocess.Popen

    def noted(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(ready.subprocess, "Popen", noted)
    with pytest.raises(BuildError, match="no pages"), mkdocs_ready(("ru", "en"), tmp_path, {}):
        raise BuildError("no pages")
    assert [process.returncode is not None for process in started] == [True, True]


def test_a_mkdocs_that_ended_early_is_an_error_with_its_words(tmp_path, monkeypatch):
    monkeypatch.setattr(ready.sys, "executable", "/bin/sh")
    with pytest.raises(BuildError, match=r"MkDocs \(en\) failed:\n.*sh"):
        run_mkdocs(("en",), tmp_path, {})
