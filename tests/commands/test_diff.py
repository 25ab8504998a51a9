"""`trainfit diff` in a real git repository with the real data."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import load_catalog
from generator.commands.diff_markdown import code
from generator.commands.locked import locked_text
from tests.support import edit, tiny_catalog, write

CARD = "gpus/nvidia/rtx-6000-ada.yml"
RIG = "4x-rtx-6000-ada"
SITE = "https://example.org/trainfit/"
FEWER = (44.39, 30.0)
"""GiB that a framework sees, before and after the edit."""


def git(folder: Path, *arguments: str) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@example.org", "GIT_COMMITTER_NAME": "x",
        "GIT_COMMITTER_EMAIL": "x@example.org", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout.strip()


def commit(data: Path, message: str = "x") -> str:
    root = data.parent
    if not (root / ".git").is_dir():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def diff(data: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["--data-dir", str(data), "diff", *arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def table(text: str) -> dict[tuple[str, str, str], str]:
    return {
        (row["rig"], row["model"], method): verdict
        for row in csv.DictReader(io.StringIO(text))
        for method, verdict in row.items()
        if method not in ("rig", "model")
    }


@pytest.fixture(autouse=True)
def site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINFIT_SITE_URL", SITE)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    data = tiny_catalog(tmp_path / "repository")
    write(data, "verdicts.csv", locked_text(load_catalog(data)))
    commit(data)
    return data


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory, reduced_data: Path) -> Path:
    """Real data in a repository, one card's usable memory edited since."""
    data = Path(shutil.copytree(reduced_data, tmp_path_factory.mktemp("repository") / "data"))
    commit(data)
    path = data / CARD
    text = path.read_text(encoding="utf-8")
    head, block, rest = re.split(r"(?m)^(framework_visible_gib:\n)", text)
    assert re.match(r'  "?on"?:\n    value: ', rest)
    fewer = re.sub(r"(value|as_printed): [\d.]+", rf"\g<1>: {FEWER[1]}", rest, count=2)
    write(data, CARD, head + block + fewer)
    return data


def test_an_edit_of_usable_memory_lists_exactly_the_verdicts_that_flip(
    edited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = table(git(edited.parent, "show", "HEAD:data/verdicts.csv"))
    catalog = load_catalog(edited)
    after = table(locked_text(catalog))
    flips = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert len(flips) > 5, "the edit has to change something"
    words = {
        "en": {"comfortable": "comfortable", "borderline": "borderline", "not-recommended": "not recommended"},
        "ru": {"comfortable": "комфортно", "borderline": "погранично", "not-recommended": "не рекомендуется"},
    }
    reasons = {"en": "data", "ru": "данные"}
    prefix = {"en": "en/", "ru": ""}
    both = diff(edited, capsys, "HEAD", "--language", "both", "--limit", "5000")
    for language, heading in (("ru", "## Что меняется"), ("en", "## What this changes")):
        text = next(part for part in re.split(r"(?m)^(?=## )", both) if part.startswith(heading))
        expected = {
            f"| [{model}]({SITE}{prefix[language]}rigs/{rig}/#{model}) "
            f"| `{catalog.methods[method].name.in_language(language)}` "
            f"| [{rig}]({SITE}{prefix[language]}rigs/{rig}/) "
            f"| {words[language][old]} | **{words[language][new]}** | {reasons[language]} |"
            for (rig, model, method), (old, new) in flips.items()
        }
        listed = [line for line in text.splitlines() if line.startswith("| ") and "/#" in line]
        assert len(listed) == len(flips)
        assert set(listed) == expected
        values = [line for line in text.splitlines() if "framework_visible_gib" in line]
        assert len(values) == 1
        assert "| `framework_visible_gib.on` |" in values[0]
        assert f"`{FEWER[1]:g}` |" in values[0]


def test_a_long_list_is_cut_and_says_so(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(small, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    edit(small, "policy.yml", "seq_len: {value: 4096,", "seq_len: {value: 4097,")
    for language, more in (("en", r"^… and \d+ more\.$"), ("ru", r"^… и еще \d+\.$")):
        text = diff(small, capsys, "main", "--limit", "1", "--language", language)
        assert len([line for line in text.splitlines() if "/#" in line]) == 1
        assert len(re.findall(f"(?m){more}", text)) == 2, "verdicts and values"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_entries_are_ids_where_nobody_said_where_the_site_stands(
    small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    edit(small, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    edit(small, CARD, "  tdp_w: {value: 300, source: rtx-6000-ada-datasheet, as_printed: 300 W}"[2:],
         "tdp_w: {value: 310, source: rtx-6000-ada-datasheet, as_printed: 310 W}")  # fmt: skip
    linked = diff(small, capsys, "main", "--language", language)
    assert linked.count(SITE) > 2
    monkeypatch.delenv("TRAINFIT_SITE_URL")
    plain = diff(small, capsys, "main", "--language", language)
    assert plain == re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", linked)
    assert f"| {RIG} |" in plain
    assert "| rtx-6000-ada | `tdp_w` |" in plain
    assert "://" not in plain


def test_nothing_changed(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(small, capsys, "main") == "## What this changes\n\nNothing in the data and no verdict changes.\n"


def test_two_revisions_and_what_is_new_and_gone(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = git(small.parent, "rev-parse", "HEAD")
    other = (small / "models/qwen3/qwen3-0.6b.yml").read_text(encoding="utf-8").replace("0.6", "0.7")
    other = other.replace("value: 0.7,", "value: 0.6,").replace("as_printed: 0.7B", "as_printed: 0.6B")
    write(small, "models/qwen3/qwen3-0.7b.yml", other)
    write(small, "verdicts.csv", locked_text(load_catalog(small)))
    second = commit(small)
    text = diff(small, capsys, first, second)
    assert f"### New\n\n- model: [qwen3-0.7b]({SITE}en/models/qwen3-0.7b/)\n" in text
    assert "0 verdicts change." in text
    assert "4 verdicts are new:\n\n| Method | " in text
    assert "4 verdicts are gone:\n\n| Method | " in diff(small, capsys, second, first)
    assert "are gone" not in text
    assert "### Removed\n\n- model: qwen3-0.7b\n" in diff(small, capsys, second, first)


def test_new_verdicts_are_counted_by_method_and_verdict(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = (small / "verdicts.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2, "one rig, one model"
    verdicts = dict(zip(rows[0].split(",")[2:], rows[1].split(",")[2:], strict=True))
    text = (small / "rigs/4x-rtx-6000-ada.yml").read_text(encoding="utf-8")
    write(small, "rigs/2x-rtx-6000-ada.yml", text.replace("count: 4", "count: 2").replace("4×", "2×"))
    shown = diff(small, capsys, "main")
    assert set(verdicts.values()) == {"comfortable"}
    assert "| Method | comfortable |\n| --- | --- |\n| `Full fine-tuning` | 1 |\n| `LoRA` | 1 |\n" in shown
    assert "Добавляются 4 вердикта:\n\n| Метод | комфортно |" in diff(small, capsys, "main", "--language", "ru")
    assert "Estimates that move" not in shown, "no value changed"


@pytest.mark.parametrize(
    ("name", "old", "new", "moved"),
    [
        (CARD, "{value: 960, source: rtx-6000-ada-datasheet, as_printed: 960 GB/s}",
         "{value: 480, source: rtx-6000-ada-datasheet, as_printed: 480 GB/s}", ["Tokens per second"]),
        (CARD, "    value: 44.4\n", "    value: 23\n", ["Memory that PyTorch sees"]),
        (CARD, "tdp_w: {value: 300, source: rtx-6000-ada-datasheet, as_printed: 300 W}",
         "tdp_w: {value: 310, source: rtx-6000-ada-datasheet, as_printed: 310 W}", []),
        ("policy.yml", "seq_len: {value: 4096,", "seq_len: {value: 8192,", ["Peak memory", "Tokens per second"]),
        ("rigs/4x-rtx-6000-ada.yml", "value: 20\n", "value: 10\n", ["Tokens per second"]),
    ],
)  # fmt: skip
def test_changed_values_say_which_estimates_they_move(
    small: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str, moved: list[str]
) -> None:
    edit(small, name, old, new)
    text = diff(small, capsys, "main")
    table = text.partition("### Estimates that move")[2]
    rows = [line for line in table.splitlines() if re.search(r"verdicts? of", line)]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == moved
    assert ("These values move no peak" in text) == (not moved)
    assert "NaN" not in text


def test_a_change_in_memory_is_said_in_per_cent(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(small, CARD, "    value: 44.4\n", "    value: 33.3\n")
    text = diff(small, capsys, "main", "--language", "ru")
    row = "| Память, которую видит PyTorch | 4 вердикта из 4 | 1 | 1 | −25,0 % | −25,0 % | −25,0 % |"
    assert row in text.replace("\u00a0", " ").replace("\u202f", " ")


def test_texts_and_remarks_are_counted_not_listed(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(small, "rigs/4x-rtx-6000-ada.yml", "en: Usual for such a workstation.", "en: Common in such a workstation.")
    edit(small, CARD, "as_printed: 300 W", "as_printed: 300 watts")
    text = diff(small, capsys, "main")
    assert "Besides, 2 texts or remarks on sources change." in text
    assert "Values that change" not in text


def test_the_short_and_the_long_form_of_a_value_are_the_same(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(small, "models/qwen3/qwen3-0.6b.yml", "  layers: 28", "  layers: {value: 28, where: config.json}")
    text = diff(small, capsys, "main")
    assert "Values that change" not in text


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,", "policy"),
        ("constants.yml", "overhead-gib-several-gpus: {value: 1.8,", "overhead-gib-several-gpus: {value: 99,",
         "memory model"),
        (CARD, "            value: 44.4\n".replace("            ", "    "), "    value: 23\n", None),
    ],
)  # fmt: skip
def test_each_flip_says_why(
    small: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str, reason: str | None
) -> None:
    edit(small, name, old, new)
    rows = [line for line in diff(small, capsys, "main").splitlines() if "/#" in line]
    assert bool(rows) == (reason is not None)
    assert all(row.endswith(f"| {reason} |") for row in rows)


def test_a_flip_that_the_program_causes_is_the_memory_model(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (small / "verdicts.csv").read_text(encoding="utf-8")
    assert ",comfortable" in text
    write(small, "verdicts.csv", text.replace(",comfortable", ",borderline", 1))
    commit(small, "verdicts of an older program")
    rows = [line for line in diff(small, capsys, "main").splitlines() if "/#" in line]
    assert len(rows) == 1
    assert rows[0].endswith("| borderline | **comfortable** | memory model |")


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (None, "", "", "memory model"),
        ("constants.yml", "overhead-gib-one-gpu: {value: 0.8,", "overhead-gib-one-gpu: {value: 0.9,", "memory model"),
        ("policy.yml", "fresh_days: {value: 365,", "fresh_days: {value: 366,", "policy"),
        ("models/qwen3/qwen3-0.6b.yml", "vendor: Alibaba (Qwen)", "vendor: Alibaba", "data"),
    ],
)
def test_old_data_that_nobody_can_read_any_more_leave_what_differs(
    small: Path, capsys: pytest.CaptureFixture[str], name: str | None, old: str, new: str, reason: str
) -> None:
    text = (small / "verdicts.csv").read_text(encoding="utf-8")
    write(small, "verdicts.csv", text.replace(",comfortable", ",borderline", 1))
    write(small, "sources/zero.yml", "title: [\n")
    commit(small, "of another version")
    git(small.parent, "checkout", "-q", "HEAD~1", "--", "data/sources", "data/verdicts.csv")
    if name:
        edit(small, name, old, new)
    text_now = diff(small, capsys, "main")
    rows = [line for line in text_now.splitlines() if "/#" in line]
    assert len(rows) == 1
    assert rows[0].endswith(f"| **comfortable** | {reason} |")
    assert ("this version of the program cannot read the old data" in text_now) == (name is not None)


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        ("nowhere", "expected a revision of the repository that holds data/, found 'nowhere'"),
        ("--output=x", "expected a revision of the repository"),
        ("main:data", "expected a revision of the repository"),
    ],
)
def test_a_revision_that_is_none(small: Path, capsys: pytest.CaptureFixture[str], revision: str, expected: str) -> None:
    assert cli.main(["--data-dir", str(small), "diff", "--", revision]) == 1
    assert expected in capsys.readouterr().err


def test_data_that_is_not_valid_is_an_error(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(small, CARD, "value: 300,", "value: 300 W,")
    assert cli.main(["--data-dir", str(small), "diff", "main"]) == 1
    assert "tdp_w.value: expected a number" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a|b", "`x`", "<img src=x>", "@someone", "[x](javascript:1)", "a\nb", "\u202ex", ""])
def test_a_hostile_value_stays_in_its_cell(text: str) -> None:
    shown = code(text)
    assert shown.startswith("`")
    assert shown.endswith("`")
    assert not re.search(r"[`|\n\u202e]", shown[1:-1])


def test_files_of_one_name_in_two_folders_are_two(
    tmp_path: Path, reduced_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(shutil.copytree(reduced_data, tmp_path / "data"))
    commit(data)
    assert diff(data, capsys, "HEAD") == "## What this changes\n\nNothing in the data and no verdict changes.\n"
