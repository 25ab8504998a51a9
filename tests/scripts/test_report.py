"""scripts/report.py with a stand-in of `gh` on the path: what it asks for and what it posts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STAND_IN = """#!{python}
import json, os, pathlib, sys
here = pathlib.Path(os.environ["STAND_IN"])
arguments = sys.argv[1:]
sent = sys.stdin.read() if "--input" in arguments else ""
with (here / "asked.jsonl").open("a") as log:
    log.write(json.dumps([arguments, json.loads(sent) if sent else None]) + "\\n")
if arguments[:2] == ["run", "download"]:
    folder = pathlib.Path(arguments[arguments.index("--dir") + 1])
    name = arguments[arguments.index("--name") + 1]
    if (here / "link").exists():
        (folder / (name + ".md")).symlink_to("/etc/passwd")
    else:
        (folder / (name + ".md")).write_bytes((here / "text").read_bytes())
elif "PATCH" not in arguments and "POST" not in arguments:
    print((here / ("pulls" if any(each.endswith("/pulls") for each in arguments) else "listed")).read_text())
"""
SHA = "a" * 40
BOT = {"login": "github-actions[bot]"}


class Place:
    def __init__(self, folder: Path, repo_root: Path) -> None:
        self.folder, self.root = folder, repo_root
        program = folder / "bin" / "gh"
        program.parent.mkdir()
        program.write_text(STAND_IN.replace("{python}", sys.executable), encoding="utf-8")
        program.chmod(0o755)
        self.answer("pulls", [{"number": 6, "head": {"sha": "b" * 40}}, {"number": 7, "head": {"sha": SHA}}])
        self.answer("listed", [[]])

    def answer(self, name: str, body: Any) -> None:
        (self.folder / name).write_text(json.dumps(body), encoding="utf-8")

    def run(self, what: str, text: bytes = b"## Text\n", status: int = 0, **changes: str) -> list[Any]:
        (self.folder / "text").write_bytes(text)
        environment = {
            **os.environ, "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "STAND_IN": str(self.folder), "REPOSITORY": "acme/trainfit", "RUN_ID": "1", "HEAD_SHA": SHA,
            "RUN_URL": "https://example.org/run", "HEAD_OWNER": "stranger", "HEAD_BRANCH": "a;b $(touch x)", **changes,
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, self.root / "scripts/report.py", what],
            env=environment, capture_output=True, text=True, check=False, cwd=self.folder,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        log = self.folder / "asked.jsonl"
        asked = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        log.unlink(missing_ok=True)
        return asked


@pytest.fixture
def place(tmp_path: Path, repo_root: Path) -> Place:
    return Place(tmp_path, repo_root)


def posted(asked: list[Any]) -> list[tuple[list[str], Any]]:
    return [(arguments, body) for arguments, body in asked if "PATCH" in arguments or "POST" in arguments]


def test_the_first_run_comments_on_the_pull_request_of_that_commit(place: Place) -> None:
    ((arguments, body),) = posted(place.run("comment"))
    assert arguments[:4] == ["api", "--method", "POST", "repos/acme/trainfit/issues/7/comments"]
    assert body["body"].startswith("<!-- trainfit: what this changes -->\n\n## Text\n")
    assert "(https://example.org/run)" in body["body"]


def test_the_next_run_rewrites_that_comment_and_no_other(place: Place) -> None:
    mark = "<!-- trainfit: what this changes -->"
    comments = [
        {"id": 1, "user": {"login": "stranger"}, "body": mark}, {"id": 2, "user": BOT, "body": "other"},
        {"id": 3, "user": BOT, "body": f"{mark} x"},
    ]  # fmt: skip
    place.answer("listed", [[], comments])
    ((arguments, _),) = posted(place.run("comment"))
    assert arguments[:4] == ["api", "--method", "PATCH", "repos/acme/trainfit/issues/comments/3"]


def test_a_pull_request_that_moved_on_is_left_alone(place: Place) -> None:
    assert posted(place.run("comment", HEAD_SHA="c" * 40)) == []


def test_a_strange_name_of_a_branch_is_one_argument(place: Place) -> None:
    asked = place.run("comment")
    assert any("head=stranger:a;b $(touch x)" in arguments for arguments, _ in asked)
    assert not (place.folder / "x").exists()


def test_hostile_text_reaches_nobody(place: Place) -> None:
    text = "@all <!-- hidden --> ![x](https://example.org/track) \u202e\x00\n".encode() + b"\xff" + b"line\n" * 40_000
    ((_, body),) = posted(place.run("comment", text))
    shown = body["body"].removeprefix("<!-- trainfit: what this changes -->")
    assert "@" not in shown
    assert "<!--" not in shown
    assert "![" not in shown
    assert "\u202e" not in shown
    assert len(body["body"]) < 65_536


def test_a_link_is_not_followed(place: Place) -> None:
    (place.folder / "link").touch()
    assert posted(place.run("comment", status=1)) == []


def test_the_issue_is_opened_rewritten_and_closed(place: Place) -> None:
    mark = "<!-- trainfit: sources -->"
    ((opened, body),) = posted(place.run("issue"))
    assert opened[:4] == ["api", "--method", "POST", "repos/acme/trainfit/issues"]
    assert body["title"]
    place.answer(
        "listed", [[{"number": 5, "user": BOT, "body": f"{mark}\n"}, {"number": 6, "user": BOT, "body": None}]]
    )
    ((rewritten, _),) = posted(place.run("issue"))
    assert rewritten[:4] == ["api", "--method", "PATCH", "repos/acme/trainfit/issues/5"]
    ((closed, body),) = posted(place.run("issue", b"\n"))
    assert closed[3] == "repos/acme/trainfit/issues/5"
    assert body == {"state": "closed"}
    place.answer("listed", [[]])
    assert posted(place.run("issue", b"")) == []


@pytest.mark.parametrize("repository", ["", "a/b/c", "a b/c"])
def test_a_repository_that_is_none(place: Place, repository: str) -> None:
    assert place.run("comment", status=1, REPOSITORY=repository) == []
