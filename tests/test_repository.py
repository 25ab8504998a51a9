"""What holds for the repository as a whole: its documents, locks, workflows, and what must not be in any file."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

CYRILLIC = re.compile(r"[\u0400-\u04FF]")
CHARACTER_RANGE = re.compile(r"\[(?:\w-\w|\w)+\]")
"""A regular expression's `[А-Яа-яЁё]`, which nobody reads as text."""
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:home|root|Users|work|opt|mnt)/[\w.]")
REGISTRIES = re.compile("|".join(map(re.escape, ("pypi" + ".org", "python" + "hosted.org", "npmjs" + ".org"))))
LATER = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")


@pytest.fixture(scope="session")
def tracked(repo_root: Path) -> tuple[Path, ...]:
    """All files that git tracks and that are there."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=repo_root, capture_output=True, text=True, check=True
    )
    return tuple(path for name in listed.stdout.split("\0") if name and (path := repo_root / name).is_file())


@pytest.fixture(scope="session")
def texts(repo_root: Path, tracked: tuple[Path, ...]) -> dict[str, str]:
    """Name → content of the tracked text files."""
    found = {}
    for path in tracked:
        content = path.read_bytes()
        if b"\0" not in content:
            found[path.relative_to(repo_root).as_posix()] = content.decode("utf-8")
    return found


def lines_with(pattern: re.Pattern[str], texts: dict[str, str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


# --- what must not be in any file -------------------------------------------------------------------------------------


def test_no_path_of_a_machine(texts: dict[str, str]) -> None:
    assert lines_with(MACHINE_PATH, texts) == []


def test_no_address_of_a_package_registry(texts: dict[str, str]) -> None:
    assert lines_with(REGISTRIES, texts) == []


def test_nothing_is_left_for_later_in_the_program(texts: dict[str, str]) -> None:
    ours = {name: text for name, text in texts.items() if name.startswith(("generator/", "tests/", "scripts/"))}
    assert lines_with(LATER, ours) == []


def test_text_files_end_in_one_newline(texts: dict[str, str]) -> None:
    ours = {name: text for name, text in texts.items() if not name.startswith("docs/assets/") and text}
    assert [name for name, text in ours.items() if not text.endswith("\n") or text.endswith("\n\n")] == []
    assert [name for name, text in ours.items() if "\r" in text] == []


# --- readers' texts ---------------------------------------------------------------------------------------------------


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Line and value of each string literal, f-strings included and docstrings not."""
    tree = ast.parse(source)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def test_no_russian_in_the_program(texts: dict[str, str]) -> None:
    """Texts for readers are in the message catalogues, in data/ and in docs/."""
    found = [
        f"{name}:{line}: {value[:80]}"
        for name, text in texts.items()
        if name.startswith("generator/") and name.endswith(".py")
        for line, value in literals(text)
        if CYRILLIC.search(CHARACTER_RANGE.sub("", value))
    ]
    assert found == []


def test_no_russian_in_templates(texts: dict[str, str]) -> None:
    """One template serves both languages."""
    templates = {name: text for name, text in texts.items() if re.search(r"(^|/)(templates|overrides)/", name)}
    assert templates
    assert lines_with(CYRILLIC, templates) == []


ENGLISH = re.compile(r"\b[A-Za-z]{2,}(?:[,;:]? [A-Za-z]+){2,}")
"""Three words in a row."""
MARKUP = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1>|<[^<>]*>?|&\w+;", flags=re.DOTALL)
JINJA = re.compile(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", flags=re.DOTALL)


def phrases(source: str) -> Iterator[tuple[int, str]]:
    """English phrases in string literals; what is raised, said in the terminal or documented is not for readers."""
    tree = ast.parse(source)
    elsewhere = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("print", "say"))
        for inner in ast.walk(node)
    }
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in elsewhere | documentation:
            text = MARKUP.sub("", node.value)
            if ENGLISH.search(text):
                yield node.lineno, text


def test_no_english_in_what_makes_pages(texts: dict[str, str]) -> None:
    """Pages come from messages in both languages: a phrase in the program would stand on the Russian page too."""
    found = [
        f"{name}:{line}: {value[:80]}"
        for name, text in texts.items()
        if name.startswith(("generator/views/", "generator/site/", "generator/verdict/")) and name.endswith(".py")
        for line, value in phrases(text)
    ]
    assert found == []


def test_templates_hold_no_words(texts: dict[str, str]) -> None:
    found = [
        f"{name}: {line.strip()}"
        for name, text in texts.items()
        if re.search(r"(^|/)(templates|overrides)/", name)
        for line in MARKUP.sub("", JINJA.sub("", text)).splitlines()
        if re.search(r"[A-Za-z]{2,}", line)
    ]
    assert found == []


@pytest.mark.parametrize("source", ['x = "No data yet"', 'f"<p>Peak of the step: {peak}</p>"'])
def test_the_search_sees_english(source: str) -> None:
    assert list(phrases(source))


@pytest.mark.parametrize(
    "source", ['"""It is one."""', 'raise ValueError("expected one of")', "'<p class=\"a b c d\">'"]
)
def test_the_search_passes_over_markup_and_errors(source: str) -> None:
    assert not list(phrases(source))


@pytest.mark.parametrize("source", ['x = "привет"', 'f"привет {name}"', 'def f():\n    return ["а"]'])
def test_the_search_sees_russian(source: str) -> None:
    assert any(CYRILLIC.search(value) for _, value in literals(source))


@pytest.mark.parametrize("source", ['"""Привет."""', 'x: int = 1\n"""Привет."""', "# привет"])
def test_the_search_passes_over_documentation(source: str) -> None:
    assert not any(CYRILLIC.search(value) for _, value in literals(source))


# --- documents --------------------------------------------------------------------------------------------------------

TWINS = (("README.md", "README.ru.md"), ("CONTRIBUTING.md", "CONTRIBUTING.ru.md"))


def code(markdown: str) -> list[str]:
    """What stands in code spans and blocks."""
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", markdown, flags=re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^ *```.*?^ *```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    return [*blocks, *re.findall(r"`([^`]+)`", rest)]


def commands(markdown: str) -> set[str]:
    """`make site`, `trainfit fit` and the like, wherever code names them."""
    return {match for piece in code(markdown) for match in re.findall(r"\b(?:make|trainfit) [a-z]+\b", piece)}


def options(markdown: str) -> set[str]:
    return {match for piece in code(markdown) for match in re.findall(r"(?<!\S|\w)\[?(--[a-z-]+)", piece)}


@pytest.mark.parametrize(("english", "russian"), TWINS)
def test_twins_name_the_same(texts: dict[str, str], english: str, russian: str) -> None:
    assert commands(texts[english]) == commands(texts[russian])
    assert options(texts[english]) == options(texts[russian])
    headings = [re.findall(r"^(#+) ", texts[name], flags=re.MULTILINE) for name in (english, russian)]
    assert headings[0] == headings[1]
    for one, other in ((english, russian), (russian, english)):
        assert f"]({other})" in texts[one]


@pytest.mark.parametrize("name", ["README.md", "README.ru.md"])
def test_the_first_command_is_make_site(texts: dict[str, str], name: str) -> None:
    first, second = code(texts[name])[0].splitlines()
    assert first.startswith("make site ")
    assert second.startswith("make serve ")


def make_targets(makefile: str) -> set[str]:
    return {
        target for rule in re.findall(r"^([\w. -]+):(?!=)", makefile, flags=re.MULTILINE) for target in rule.split()
    } - {".PHONY", ".DEFAULT_GOAL"}


def test_documents_name_make_targets_that_exist(texts: dict[str, str]) -> None:
    targets = make_targets(texts["Makefile"])
    assert {"site", "serve", "test", "check", "bench", "lock", "clean", "help"} <= targets
    for name, text in texts.items():
        if name.endswith(".md"):
            named = {command.split()[1] for command in commands(text) if command.startswith("make ")}
            assert named <= targets, name
    for name in (".ci/run", ".github/workflows/check.yml", ".github/workflows/publish.yml"):
        assert set(re.findall(r"(?:run:|exec) make ([a-z]+)$", texts[name], flags=re.MULTILINE)) <= targets, name


def test_every_make_target_for_people_is_explained(repo_root: Path, texts: dict[str, str]) -> None:
    shown = subprocess.run(["make", "help"], cwd=repo_root, capture_output=True, text=True, check=True).stdout
    for target in make_targets(texts["Makefile"]) - {"runtime", "dev", ".venv"}:
        assert re.search(rf"^  {target} +\S", shown, flags=re.MULTILINE), target


def test_the_readme_names_the_commands_that_exist(repo_root: Path, texts: dict[str, str]) -> None:
    done = subprocess.run(
        [repo_root / ".venv/bin/trainfit", "--help"], cwd=repo_root, capture_output=True, text=True, check=True
    )
    existing = set(re.findall(r"^    ([a-z]+) {2,}\S", done.stdout, flags=re.MULTILINE))
    named = {command.split()[1] for command in commands(texts["README.md"]) if command.startswith("trainfit ")}
    assert existing
    assert named == existing


def test_links_between_documents_lead_somewhere(repo_root: Path, texts: dict[str, str]) -> None:
    for name in (*TWINS[0], *TWINS[1], "LICENSE-DATA.md", "CHANGELOG.md", "SECURITY.md"):
        for target in re.findall(r"\]\(([^)\s]+)\)", texts[name]):
            if target.startswith("https://"):
                continue
            path, _, anchor = target.partition("#")
            linked = path or name
            assert (repo_root / linked).exists(), f"{name}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.+)$", texts[linked], flags=re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
                assert anchor in anchors, f"{name}: {target}"


def test_licences_and_changelog(texts: dict[str, str]) -> None:
    assert texts["LICENSE"].startswith("MIT License\n\nCopyright (c) ")
    assert "Trainfit contributors" in texts["LICENSE"]
    for covered in ("data/", "docs/assets/", "CC BY 4.0", "Open Font License"):
        assert covered in texts["LICENSE-DATA.md"]
    assert re.search(r"^## \[Unreleased\]$", texts["CHANGELOG.md"], flags=re.MULTILINE)


# --- what is installed and what runs it -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["requirements.lock", "requirements-dev.lock", "requirements-stack.lock", "requirements-mutation.lock"]
)
def test_every_package_is_pinned_by_hash(texts: dict[str, str], name: str) -> None:
    assert "://" not in texts[name]
    joined = re.sub(r"\\\n\s*", " ", texts[name])
    pins = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(pins) > 20
    for pin in pins:
        assert re.fullmatch(r"[a-z0-9.\[\],_-]+==[\w.!+]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+", pin), pin[:100]


def test_the_development_lock_holds_the_run_time_one(texts: dict[str, str]) -> None:
    runtime, dev = (
        set(re.findall(r"^([a-z0-9.\[\]_-]+==\S+)", texts[name], flags=re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert runtime <= dev


def test_what_is_asked_for_is_locked(texts: dict[str, str]) -> None:
    for asked, locked in (
        ("requirements.in", "requirements.lock"),
        ("requirements-build.in", "requirements.lock"),
        ("requirements-dev.in", "requirements-dev.lock"),
        ("requirements-mutation.in", "requirements-mutation.lock"),
    ):
        names = re.findall(r"^([A-Za-z][\w.-]*)", texts[asked], flags=re.MULTILINE)
        pinned = {name.lower() for name in re.findall(r"^([a-z0-9._-]+)", texts[locked], flags=re.MULTILINE)}
        assert names
        assert {name.lower().replace("_", "-") for name in names} <= pinned


@pytest.mark.parametrize("name", [".ci/run", "scripts/bootstrap", "scripts/ensure-browser", "scripts/lock"])
def test_scripts_can_be_run(repo_root: Path, name: str) -> None:
    assert os.access(repo_root / name, os.X_OK)
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--stage", name],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert listed.startswith("100755 ")


def test_ci_runs_make_test(texts: dict[str, str]) -> None:
    assert texts[".ci/run"].splitlines()[-1] == "exec make test"


# --- workflows --------------------------------------------------------------------------------------------------------

WORKFLOWS = (
    "audit.yml",
    "check.yml",
    "comment.yml",
    "preview.yml",
    "publish.yml",
    "release.yml",
    "sources.yml",
    "stack.yml",
)
WRITES = {
    ("publish.yml", "deploy"): {"pages", "id-token"},
    ("comment.yml", "comment"): {"pull-requests"},
    ("release.yml", "release"): {"contents"},
    ("sources.yml", "report"): {"issues"},
}
"""What a job may change; every other job only reads."""


def workflow(texts: dict[str, str], name: str) -> dict[str, Any]:
    loaded = yaml.safe_load(texts[f".github/workflows/{name}"])
    assert isinstance(loaded, dict)
    return loaded


def unpinned(text: str) -> list[str]:
    """Lines that use an action in any other way than by commit, with its version beside it."""
    return [
        line.strip()
        for line in text.splitlines()
        if re.search(r"\buses:", line) and not re.search(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)
    ]


def test_the_first_release_begins_the_history_of_verdicts(texts: dict[str, str]) -> None:
    steps = [step.get("run", "") for step in workflow(texts, "release.yml")["jobs"]["build"]["steps"]]
    begun = next(number for number, run in enumerate(steps) if "trainfit lock --start" in run)
    assert "git diff --exit-code -- data/changes.csv" in steps[begun]
    assert begun < next(number for number, run in enumerate(steps) if "make zip" in run)
    for name, heading in (("CONTRIBUTING.md", "## Release"), ("CONTRIBUTING.ru.md", "## Релиз")):
        _, found, procedure = texts[name].partition(f"\n{heading}\n")
        assert found, name
        assert "trainfit lock --start" in procedure


def test_all_workflows_are_checked_here(texts: dict[str, str]) -> None:
    assert {Path(name).name for name in texts if name.startswith(".github/workflows/")} == set(WORKFLOWS)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_by_commit(texts: dict[str, str], name: str) -> None:
    assert "uses:" in texts[f".github/workflows/{name}"]
    assert unpinned(texts[f".github/workflows/{name}"]) == []


@pytest.mark.parametrize(
    "line",
    [
        "- uses: actions/checkout@v7",
        "- uses: actions/checkout@3d3c42e # v7.0.1",
        "- uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1",
        "- uses: ./somewhere",
    ],
)
def test_the_search_sees_an_unpinned_action(line: str) -> None:
    assert unpinned(line) == [line]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_may_only_read(texts: dict[str, str], name: str) -> None:
    loaded = workflow(texts, name)
    assert loaded["permissions"] == {"contents": "read"}
    assert "concurrency" in loaded
    for job_name, job in loaded["jobs"].items():
        assert "timeout-minutes" in job, job_name
        writes = {scope for scope, right in job.get("permissions", {}).items() if right == "write"}
        assert writes == WRITES.get((name, job_name), set()), job_name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            # Values of the event never become part of a script.
            assert "${{" not in step.get("run", "")


@pytest.mark.parametrize(("name", "job_name"), WRITES)
def test_a_job_that_may_write_runs_nothing_of_the_project_but_one_script(
    texts: dict[str, str], name: str, job_name: str
) -> None:
    job = workflow(texts, name)["jobs"][job_name]
    ran = " ".join(step.get("run", "") for step in job["steps"])
    assert not re.search(r"\bmake\b|\.venv|pip|trainfit ", ran)
    assert "setup-python" not in " ".join(step.get("uses", "") for step in job["steps"])


def test_a_pull_request_gets_no_secret_and_nothing_of_it_is_run_with_rights(texts: dict[str, str]) -> None:
    assert set(workflow(texts, "preview.yml")[True]) == {"pull_request"}
    assert "secrets." not in texts[".github/workflows/preview.yml"]
    assert "github.token" not in texts[".github/workflows/preview.yml"]
    loaded = workflow(texts, "comment.yml")
    assert set(loaded[True]) == {"workflow_run"}
    (checkout, post) = loaded["jobs"]["comment"]["steps"]
    assert "ref" not in checkout["with"], "the main branch's own script"
    assert post["run"] == "python3 scripts/report.py comment"
    for text in texts:
        if text.startswith(".github/workflows/"):
            assert "pull_request_target" not in texts[text]


def validated(repo_root: Path, schema: str, *names: str) -> None:
    """Checks files against a schema that check-jsonschema brings along."""
    done = subprocess.run(
        [repo_root / ".venv/bin/check-jsonschema", "--builtin-schema", schema, *names],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_of_github_follow_their_schemas(repo_root: Path, texts: dict[str, str]) -> None:
    workflows = [f".github/workflows/{name}" for name in WORKFLOWS]
    validated(repo_root, "vendor.github-workflows", *workflows)
    validated(repo_root, "custom.github-workflows-require-timeout", *workflows)
    validated(repo_root, "vendor.dependabot", ".github/dependabot.yml")
    forms = [name for name in texts if name.startswith(".github/ISSUE_TEMPLATE/") and not name.endswith("config.yml")]
    assert {Path(name).stem for name in forms} == {"wrong-value", "new-model", "new-gpu", "measurement"}
    validated(repo_root, "vendor.github-issue-forms", *forms)
    validated(repo_root, "vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml")


def test_issue_forms_speak_both_languages_and_ask_for_evidence(texts: dict[str, str]) -> None:
    for name in ("wrong-value", "new-model", "new-gpu", "measurement"):
        form = yaml.safe_load(texts[f".github/ISSUE_TEMPLATE/{name}.yml"])
        for text in (form["name"], form["description"]):
            english, _, russian = text.partition(" · ")
            assert re.search("[A-Za-z]", english), text
            assert re.search("[А-Яа-я]", russian), text
        asked = " ".join(str(field["attributes"]) for field in form["body"] if field["type"] != "markdown")
        assert re.search(r"as printed|Evidence", asked), name
        assert any(field.get("validations", {}).get("required") for field in form["body"]), name


def test_pull_requests_run_the_make_verbs(texts: dict[str, str]) -> None:
    loaded = workflow(texts, "check.yml")
    triggers = loaded[True]  # YAML 1.1 reads the key `on` as true
    assert set(triggers) == {"pull_request", "push"}
    (job,) = loaded["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make check", "make site", "make test"]
    assert "secrets." not in texts[".github/workflows/check.yml"]


def test_only_what_was_tested_is_published(texts: dict[str, str]) -> None:
    loaded = workflow(texts, "publish.yml")
    assert set(loaded[True]) == {"push", "schedule", "workflow_dispatch"}
    assert loaded[True]["push"] == {"branches": ["main"]}
    steps = loaded["jobs"]["build"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["make test", "make site"]
    assert loaded["jobs"]["deploy"]["needs"] == "build"
    assert any("TRAINFIT_SITE_URL" in step.get("env", {}) for step in steps)
