"""Posts what another job wrote: one comment on a pull request, or one issue, rewritten instead of repeated.

usage: python scripts/report.py comment|issue

Runs in .github/workflows (comment.yml, sources.yml) with `gh` and GH_TOKEN. The text may be anybody's: it is cut to
what a comment holds and loses mentions, images and hidden comments; nothing of it is ever run.

comment needs REPOSITORY RUN_ID RUN_URL HEAD_SHA HEAD_OWNER HEAD_BRANCH, issue needs REPOSITORY RUN_ID.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LONGEST = 60_000
"""Characters: a comment or an issue holds 65,536."""
COMMENT_MARK = "<!-- trainfit: what this changes -->"
ISSUE_MARK = "<!-- trainfit: sources -->"
ISSUE_TITLE = "Sources that moved, changed or are gone"
BOT = "github-actions[bot]"


def gh(*arguments: str, body: Any = None) -> Any:
    """What the API answers, as plain data; raises CalledProcessError. A body is sent as JSON."""
    command = ["gh", "api", *arguments, *(["--input", "-"] if body is not None else [])]
    sent = None if body is None else json.dumps(body)
    done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
    return json.loads(done.stdout or "null")


def artifact(name: str) -> str:
    """The text that another job left behind under this name; raises ValueError where it is no file."""
    with tempfile.TemporaryDirectory() as folder:
        where = ["--repo", os.environ["REPOSITORY"], "--name", name, "--dir", folder]
        subprocess.run(["gh", "run", "download", os.environ["RUN_ID"], *where], check=True)  # noqa: S607 - as above
        path = Path(folder) / f"{name}.md"
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"expected {name}.md as a file, found none")
        with path.open("rb") as file:
            return file.read(4 * LONGEST).decode("utf-8", "replace")


def harmless(text: str) -> str:
    """The text without what would reach people or hide something, cut to what a comment holds."""
    text = "".join(each for each in text if each == "\n" or each.isprintable())
    text = text.replace("@", "＠").replace("<!--", "< !--").replace("![", "[")
    return text if len(text) <= LONGEST else text[: text.rfind("\n", 0, LONGEST) + 1] + "\n…\n"


def comment() -> None:
    """Creates or rewrites the comment on the pull request whose newest commit was built; does nothing without one."""
    repository, sha = os.environ["REPOSITORY"], os.environ["HEAD_SHA"]
    head = f"{os.environ['HEAD_OWNER']}:{os.environ['HEAD_BRANCH']}"
    pulls = gh("--method", "GET", f"repos/{repository}/pulls", "-f", "state=open", "-f", f"head={head}")
    number = next((pull["number"] for pull in pulls if pull["head"]["sha"] == sha), None)
    if number is None:
        print(f"report: no open pull request is at {sha} any more")
        return
    url = os.environ["RUN_URL"]
    body = f"{COMMENT_MARK}\n\n{harmless(artifact('difference'))}\n\n<sub>[site / сайт]({url})</sub>\n"
    place = f"repos/{repository}/issues/{number}/comments"
    known = _marked(f"{place}?per_page=100", COMMENT_MARK)
    if known:
        gh("--method", "PATCH", f"repos/{repository}/issues/comments/{known['id']}", body={"body": body})
    else:
        gh("--method", "POST", place, body={"body": body})


def issue() -> None:
    """Opens or rewrites the issue while there is something to look at, and closes it when nothing is left."""
    repository = os.environ["REPOSITORY"]
    text = harmless(artifact("sources")).strip()
    known = _marked(f"repos/{repository}/issues?state=open&per_page=100", ISSUE_MARK)
    place = f"repos/{repository}/issues"
    body = {"title": ISSUE_TITLE, "body": f"{ISSUE_MARK}\n\n{text}\n"}
    if text and known:
        gh("--method", "PATCH", f"{place}/{known['number']}", body=body)
    elif text:
        gh("--method", "POST", place, body=body)
    elif known:
        gh("--method", "PATCH", f"{place}/{known['number']}", body={"state": "closed"})


def _marked(address: str, mark: str) -> Any:
    """The first comment or issue of the workflow's own that begins with the mark; none where there is none."""
    pages = gh("--paginate", "--slurp", address)
    every = (each for page in pages for each in page)
    return next(
        (each for each in every if each["user"]["login"] == BOT and (each["body"] or "").startswith(mark)), None
    )


if __name__ == "__main__":
    if sys.argv[1:] not in (["comment"], ["issue"]):
        sys.exit("usage: python scripts/report.py comment|issue")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", os.environ.get("REPOSITORY", "")):
        sys.exit("report: expected REPOSITORY as owner/name")
    try:
        comment() if sys.argv[1] == "comment" else issue()
    except subprocess.CalledProcessError as error:
        sys.exit(f"report: {' '.join(map(str, error.cmd[:5]))}: {error.stderr or error}")
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"report: {type(error).__name__}: {error}")
