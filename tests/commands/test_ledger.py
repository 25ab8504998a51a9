"""data/changes.csv: no verdict flips without a row that says when and why."""

from __future__ import annotations

import datetime
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import cli
from generator.catalog import DATA_DIR, load_catalog
from generator.catalog.changes import ChangeRow, changes_text, read_changes, replayed
from generator.commands import ledger
from generator.commands.ledger import stale_changes
from generator.commands.locked import locked_text
from generator.errors import CatalogErrors
from generator.views.changes import days_of
from tests.support import GPU, edit, tiny_catalog, write

RIG, MODEL = "4x-rtx-6000-ada", "qwen3-0.6b"
METHODS = ("full", "lora", "qlora", "pretrain")
HEADER = "date,reason,rig,model,full,lora,qlora,pretrain\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path / "repository")


def lock(data: Path, *arguments: str, day: str = "2026-12-02") -> None:
    assert cli.main(["--data-dir", str(data), "lock", "--date", day, *arguments]) == 0


def check(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    cli.main(["--data-dir", str(data), "check"])
    return capsys.readouterr().out.splitlines()


def history(data: Path) -> list[str]:
    return (data / "changes.csv").read_text(encoding="utf-8").splitlines()


def git(data: Path, *arguments: str) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@example.org", "GIT_COMMITTER_NAME": "x",
        "GIT_COMMITTER_EMAIL": "x@example.org", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    }  # fmt: skip
    subprocess.run(["git", "-C", str(data.parent), *arguments], check=True, env=environment)


def commit(data: Path) -> None:
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        git(data, *arguments)


def test_the_history_of_this_repository_ends_in_its_table() -> None:
    table = (DATA_DIR / "verdicts.csv").read_text(encoding="utf-8")
    assert stale_changes(DATA_DIR, table) == []
    rows, errors = read_changes(DATA_DIR)
    assert errors == []
    assert len(replayed(rows)) == table.count("\n") - 1


def test_a_folder_without_a_history_keeps_none(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data)
    assert not (data / "changes.csv").exists()
    assert check(data, capsys)[-1].startswith("no errors")


def test_a_flip_is_never_silent(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data, "--start", day="2026-12-01")
    verdicts = ",".join(["comfortable"] * 4)
    assert history(data) == [HEADER.strip(), f"2026-12-01,data,{RIG},{MODEL},{verdicts}"]
    commit(data)
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    assert "data/verdicts.csv:2:" in check(data, capsys)[0]
    # Somebody writes the table by hand: the history is missing.
    write(data, "verdicts.csv", locked_text(load_catalog(data)))
    first = check(data, capsys)[0]
    assert first == (
        f"data/changes.csv:2:1: expected a row that says what {MODEL} on {RIG} became, found none"
        " (run `.venv/bin/trainfit lock`)"
    )
    lock(data)
    assert len(history(data)) == 3
    assert history(data)[-1].startswith(f"2026-12-02,policy,{RIG},{MODEL},borderline,")
    assert check(data, capsys)[-1].startswith("no errors")
    lock(data)
    assert len(history(data)) == 3, "nothing new, no new row"


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("constants.yml", "overhead-gib-several-gpus: {value: 1.8,", "overhead-gib-several-gpus: {value: 99,",
         "memory-model"),
        (GPU, "sustained_tflops:\n", "sustained_tflops:\n", None),
    ],
)  # fmt: skip
def test_the_reason_is_worked_out(data: Path, name: str, old: str, new: str, reason: str | None) -> None:
    lock(data, "--start")
    commit(data)
    edit(data, name, old, new)
    lock(data)
    assert [row.split(",")[1] for row in history(data)[2:]] == ([reason] if reason else [])


def test_the_reason_may_be_said_and_is_else_unknown_without_git(data: Path) -> None:
    lock(data, "--start")
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    lock(data, "--reason", "policy")
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.02,", "comfortable_ratio: {value: 0.8,")
    lock(data)
    assert [row.split(",")[1] for row in history(data)[1:]] == ["data", "policy", "unknown"]


def test_what_is_gone_gets_a_row_too(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = (data / "models/qwen3/qwen3-0.6b.yml").read_text(encoding="utf-8").replace("0.6", "0.7")
    other = other.replace("value: 0.7,", "value: 0.6,").replace("as_printed: 0.7B", "as_printed: 0.6B")
    path = write(data, "models/qwen3/qwen3-0.7b.yml", other)
    lock(data, "--start", day="2026-12-01")
    path.unlink()
    lock(data)
    assert history(data)[-1] == f"2026-12-02,data,{RIG},qwen3-0.7b,,,,"
    assert check(data, capsys)[-1].startswith("no errors")
    rows, _ = read_changes(data)
    newest, oldest = days_of(rows)
    assert newest.gone == ((RIG, "qwen3-0.7b"),)
    assert oldest.new_models == (MODEL, "qwen3-0.7b")
    assert oldest.new_rigs == (RIG,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: expected the columns date,reason,rig,model and the methods, found nothing"),
        ("date,rig\n", "1:1: expected the columns"),
        (HEADER.replace("lora,", "<b>,", 1), "1:1: expected the columns date,reason,rig,model and the methods, found"),
        (HEADER + "2026-12-02,data,r,m,comfortable\n", "2:1: expected 8 cells, found 5"),
        (HEADER + "2026-02-30,data,r,m,,,,\n", "2:1: date: expected a date as YYYY-MM-DD, found `2026-02-30`"),
        (HEADER + "2026-12-02,why,r,m,,,,\n", "2:12: reason: expected one or more of data, memory-model, policy"),
        (HEADER + "2026-12-02,data,../x,m,,,,\n", "2:17: rig: expected the id of a rig, found `../x`"),
        (HEADER + "2026-12-02,data,r,<b>,,,,\n", "2:19: model: expected the id of a model, found `<b>`"),
        (HEADER + "2026-12-02,data,r,m,fine,,,\n", "2:21: full: expected one of comfortable, borderline"),
        (HEADER + '2026-12-02,data,r,m,",,,\n', "expected a CSV table, found an error"),
    ],
)
def test_a_broken_history_is_located(data: Path, text: str, expected: str) -> None:
    write(data, "changes.csv", text)
    with pytest.raises(CatalogErrors) as caught:
        load_catalog(data)
    assert str(caught.value.errors[0]).startswith("data/changes.csv:")
    assert expected in str(caught.value.errors[0])


def test_only_the_repository_must_have_the_history(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(data)
    assert stale_changes(data, "") == []
    monkeypatch.setattr(ledger, "DATA_DIR", data)
    before = (data / "verdicts.csv").read_bytes()
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    lost = (
        "data/changes.csv:1:1: expected the history of the verdicts, found no file"
        " (`git checkout HEAD -- data/changes.csv`, then `.venv/bin/trainfit lock`)"
    )
    assert [str(error) for error in stale_changes(data, "")] == [lost]
    capsys.readouterr()
    assert cli.main(["--data-dir", str(data), "lock"]) == 1
    assert capsys.readouterr().err.splitlines()[0] == lost
    assert (data / "verdicts.csv").read_bytes() == before
    lock(data, "--start")
    assert stale_changes(data, (data / "verdicts.csv").read_text(encoding="utf-8")) == []


def test_what_no_command_can_mend_says_how_to_get_it_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data, "--start")
    row = history(data)[1]
    write(data, "changes.csv", f"{HEADER}<<<<<<< HEAD\n{row}\n=======\n{row}\n>>>>>>> other\n")
    *errors, _ = check(data, capsys)
    assert [error.partition(" ")[0] for error in errors] == [f"data/changes.csv:{line}:1:" for line in (2, 4, 6)]
    assert all(
        each.endswith("(`git checkout HEAD -- data/changes.csv`, then `.venv/bin/trainfit lock`)") for each in errors
    )
    assert cli.main(["--data-dir", str(data), "lock"]) == 1, "it would write over what is still there"


def test_a_history_that_begins_anew_says_what_it_leaves_out(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data, "--start", day="2026-12-01")
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    lock(data)
    assert len(history(data)) == 3
    capsys.readouterr()
    lock(data, "--start", day="2026-11-30")
    assert capsys.readouterr().out.splitlines()[-1] == (
        "wrote data/changes.csv: the history begins with 1 row; 2 rows of before left out"
    )
    assert [row.split(",")[:2] for row in history(data)[1:]] == [["2026-11-30", "data"]]
    lock(data, "--start", day="2026-11-30")
    assert "changes.csv" not in capsys.readouterr().out, "it is as it would be written"


def test_a_released_history_does_not_begin_anew(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data, "--start", day="2026-12-01")
    commit(data)
    git(data, "tag", "v1.0.0")
    lock(data, "--start", day="2026-12-01")
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    commit(data)
    before = history(data)
    capsys.readouterr()
    assert cli.main(["--data-dir", str(data), "lock", "--start"]) == 1
    assert capsys.readouterr().err == (
        "error: --start: expected no release before this one, found v1.0.0: its readers know the history\n"
    )
    assert history(data) == before


def test_the_days_of_the_history_only_go_on(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock(data, "--start", day="2999-12-30")
    edit(data, "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.02,")
    capsys.readouterr()
    assert cli.main(["--data-dir", str(data), "lock", "--date", "2026-12-02"]) == 2
    said = "argument --date: expected a day from 2999-12-30 on, that of the last row, found 2026-12-02"
    assert said in capsys.readouterr().err
    assert cli.main(["--data-dir", str(data), "lock"]) == 0
    assert history(data)[-1].startswith("2999-12-30,"), "another's clock may be ahead of ours"


def test_errors_of_one_cause_end_somewhere(data: Path) -> None:
    write(data, "changes.csv", HEADER + "x\n" * 10_000)
    assert len(read_changes(data)[1]) == 100


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: (HEADER + text).encode("utf-8", "replace")))
def test_any_bytes_are_rows_or_errors(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "any-history"
    folder.mkdir(exist_ok=True)
    (folder / "changes.csv").write_bytes(raw)
    rows, errors = read_changes(folder)
    assert not (rows and errors)
    assert all(error.line >= 1 and "\n" not in str(error) for error in errors)


VERDICTS = st.sampled_from(["comfortable", "borderline", "not-recommended", "unknown"])
ROWS = st.lists(
    st.builds(
        ChangeRow,
        st.dates(datetime.date(2026, 1, 1), datetime.date(2026, 1, 5)),
        st.lists(st.sampled_from(["data", "policy"]), min_size=1, max_size=2, unique=True).map(tuple),
        st.sampled_from(["r", "s"]),
        st.sampled_from(["m", "n"]),
        st.just({}) | st.fixed_dictionaries(dict.fromkeys(METHODS, VERDICTS)),
    ),
    max_size=12,
).map(lambda rows: tuple(sorted(rows, key=lambda row: row.day)))


@given(ROWS)
def test_days_told_one_after_another_lead_to_the_last_state(rows: tuple[ChangeRow, ...]) -> None:
    state: dict[tuple[str, str], dict[str, str]] = {}
    seen: dict[str, set[str]] = {"rig": set(), "model": set()}
    final = {pair: dict(row.verdicts) for pair, row in replayed(rows).items()}
    days = days_of(rows)
    assert [day.day for day in days] == sorted({day.day for day in days}, reverse=True)
    for day in reversed(days):
        for flip in day.flips:
            assert flip.before != flip.after
            assert flip.reasons
            known = state.get((flip.rig, flip.model))
            if known:
                assert known[flip.method] == flip.before
                known[flip.method] = flip.after
        for pair in day.gone:
            state.pop(pair, None)
        upto = replayed(tuple(row for row in rows if row.day <= day.day))
        for pair, row in upto.items():
            if pair not in state:
                state[pair] = dict(row.verdicts)
        assert state == {pair: dict(row.verdicts) for pair, row in upto.items()}
        seen["rig"].update(day.new_rigs)
        seen["model"].update(day.new_models)
    assert {rig for rig, _ in final} <= seen["rig"]
    assert {model for _, model in final} <= seen["model"]


@given(ROWS)
def test_a_history_reads_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: tuple[ChangeRow, ...]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "written-history"
    folder.mkdir(exist_ok=True)
    write(folder, "changes.csv", changes_text(METHODS, rows))
    read, errors = read_changes(folder)
    assert errors == []
    assert changes_text(METHODS, read) == changes_text(METHODS, rows)
