"""Measured runs: every wrong cell at its line, all at once; documented defaults fill what a row leaves open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.architecture import count_parameters
from generator.catalog import Catalog
from generator.catalog.hugging_face import shape_of
from generator.catalog.loading import read_data
from generator.catalog.measured_cards import Card, Cards, cards_of
from generator.catalog.measured_files import cited_by_measurements, read_measurements
from tests.support import GPU, edit, tiny_catalog, write

SHAPE = shape_of({"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 1, "n_positions": 8, "vocab_size": 10})
HEADER = (
    "id,where,model,shape,method,precision,sharding,n_gpus,gpu,seq_len,grad_checkpointing,outcome,reading,peak,unit\n"
)
SRC = "data/measurements/src.csv"
GOOD = "run-1,p. 1,M,m,full,bf16-mixed,fsdp2,4,gpu,4096,y,finished,max-allocated,30.5,GiB\n"


def read(tmp_path: Path, rows: str, defaults: str = "", header: str = HEADER) -> tuple[list, list[str]]:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "src.csv").write_text(header + rows, encoding="utf-8")
    if defaults:
        (folder / "src.yml").write_text(defaults, encoding="utf-8")
    data = read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"})
    return data.runs, [str(error) for error in data.errors]


def test_a_good_row(tmp_path: Path) -> None:
    (run,), errors = read(tmp_path, GOOD)
    assert errors == []
    assert (run.id, run.source, run.published.peak_gib) == ("run-1", "src", 30.5)
    assert run.settings.optimizer is None
    assert run.defaults == {}


def test_decimal_gigabytes_are_converted_and_stay_as_printed(tmp_path: Path) -> None:
    (run,), _ = read(tmp_path, GOOD.replace("GiB", "GB"))
    assert (run.published.peak, run.published.unit) == (30.5, "GB")
    assert run.published.peak_gib == pytest.approx(30.5e9 / 2**30)


def test_defaults_fill_what_is_blank_and_nothing_else(tmp_path: Path) -> None:
    defaults = (
        "defaults:\n"
        "  - {setting: seq_len, value: '512', where: config}\n"
        "  - {setting: optimizer, value: adamw, when: {method: lora}, where: script}\n"
        "  - {setting: optimizer, value: adamw-8bit, where: script}\n"
        "  - {setting: optimizer, value: sgd, where: script}\n"
    )
    (first, second), errors = read(tmp_path, GOOD + GOOD.replace("run-1", "run-2").replace("4096", ""), defaults)
    assert errors == []
    assert (first.settings.seq_len, second.settings.seq_len) == (4096, 512)
    assert second.published.seq_len is None
    assert first.settings.optimizer == "adamw-8bit"
    assert set(first.defaults) == {"optimizer"}
    assert second.defaults["seq_len"].where == "config"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{setting: seq_len, value: many, where: x}", "expected a value of `seq_len`, found `many`"),
        ("{setting: peak, value: '1', where: x}", "expected a column that is a setting, found `peak`"),
        ("{setting: seq_len, value: '1', when: {colour: red}, where: x}", "columns of a measurement, found `colour`"),
    ],
)
def test_defaults_that_mean_nothing(tmp_path: Path, line: str, message: str) -> None:
    _, errors = read(tmp_path, GOOD, f"defaults:\n  - {line}\n")
    (error,) = errors
    assert error.startswith("data/measurements/src.yml:2:")
    assert message in error


def test_wrong_cells_are_reported_together(tmp_path: Path) -> None:
    rows = GOOD.replace(",4,gpu", ",-4,gpu") + GOOD.replace("run-1", "run-2").replace(",m,full", ",nope,full")
    _, errors = read(tmp_path, rows)
    assert any(error.startswith("data/measurements/src.csv:2:") and "n_gpus" in error for error in errors)
    assert any(error.startswith("data/measurements/src.csv:3:") and "`nope`" in error for error in errors)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (GOOD.replace("max-allocated,30.5,GiB", ",,"), "expected a peak or a speed of a run that finished"),
        (GOOD.replace("finished", "failed"), "expected no reading of a run that failed"),
        (GOOD.replace("30.5,GiB", "30.5,"), "expected all three of peak, unit and reading, or none, found"),
    ],
)
def test_readings_that_do_not_fit_together(tmp_path: Path, row: str, message: str) -> None:
    _, (error,) = read(tmp_path, row)
    assert message in error


def test_ids_are_unique(tmp_path: Path) -> None:
    _, errors = read(tmp_path, GOOD + GOOD)
    assert any("found that of data/measurements/src.csv:2" in error for error in errors)


def test_a_wrong_cell_is_shown_where_it_stands(tmp_path: Path) -> None:
    row = GOOD.replace("p. 1", '"p. 1, ""x"""').replace(",4,gpu", ",-4,gpu").replace(",y,fini", ",maybe,fini")
    _, errors = read(tmp_path, "\n" + row.replace(",30.5", ",much"))
    line = "data/measurements/src.csv:3"
    assert errors == [
        f"{line}:{row.index('-4,gpu') + 1}: n_gpus: expected a number above 0, found `-4`",
        f"{line}:{row.index('maybe') + 1}: grad_checkpointing: expected one of `y`, `n`, `selective`, found `maybe`",
        (
            f"{line}:{row.index('30.5') + 1}: peak: expected a number, found `much`"
            " (write a plain number without unit, quotes or separators)"
        ),
    ]


def test_columns_that_are_missing_or_unknown(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    (folder / "bytes.csv").write_bytes(b"a,b\n\xff")
    (folder / "notes.txt").write_text("x")
    _, errors = read(tmp_path, GOOD, header=HEADER.replace(",shape", ",shapes"))
    something = (
        "expected `<source>.csv`, `<source>.yml`, `shapes.yml`, `known-misses.yml` or `configs`, found `notes.txt`"
        " (move or delete it)"
    )
    assert errors == [
        (
            "data/measurements/bytes.csv:1:1: expected a name that is the id of a source, found `bytes`"
            " (say in sources/bytes.yml who ran it and where)"
        ),
        "data/measurements/bytes.csv:2:1: expected UTF-8, found the byte 0xFF (save the file as UTF-8)",
        f"data/measurements/notes.txt:1:1: {something}",
        (
            "data/measurements/src.csv:1:16: shapes: expected one of the columns of a measurement, found `shapes`"
            " (did you mean `shape`?)"
        ),
        (
            "data/measurements/src.csv:1:1: shape: expected a column, found none (the id of a model of the catalogue"
            " with the same layers, such as `qwen3-8b`)"
        ),
    ]


def test_rows_of_another_length(tmp_path: Path) -> None:
    _, errors = read(tmp_path, GOOD.replace("\n", ",x\n") + GOOD.replace("\n", "\r") + "a,b\n")
    assert errors == [
        f"{SRC}:2:1: expected 15 cells as in the header, found 16 (put a cell with a comma in quotes)",
        f"{SRC}:4:1: expected 15 cells as in the header, found 2 (leave what is not stated empty)",
    ]


def test_an_open_quote_is_one_error(tmp_path: Path) -> None:
    _, (error,) = read(tmp_path, GOOD + '"' + GOOD.replace("run-1", "run-2"))
    assert error == f"{SRC}:3:1: expected a closed quote, found the end of the file (close the quote that opens here)"


def test_a_peak_is_not_above_the_memory_of_the_card(tmp_path: Path) -> None:
    read(tmp_path, GOOD + GOOD.replace("run-1", "run-2").replace(",gpu,", ",not stated,"))
    less, more = (Cards({"gpu": Card("gpu", gib)}, complete=True) for gib in (30.0, 31.0))
    data = read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"}, less)
    assert [str(error) for error in data.errors] == [
        (
            f"data/measurements/src.csv:2:{GOOD.index('30.5') + 1}: peak: expected at most the 30 GiB of `gpu`,"
            " found 30.5 GiB (a peak is per GPU, in `unit`)"
        )
    ]
    assert read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"}, more).errors == []


def test_a_card_is_one_that_somebody_has_described_or_declared(tmp_path: Path) -> None:
    named = ("RTX 6000 Ada", "rtx  6000 ada", "Falcon", "not stated", "RTX 6000 Adda", "Voodoo 2", "Voodoo 3")
    rows = [GOOD.replace("run-1", f"run-{at}").replace(",gpu,", f",{name},") for at, name in enumerate(named)]
    rows[-1] = rows[-1].replace("\n", ",unnamed-card\n")
    header = HEADER.replace("\n", ",left_out\n")
    read(tmp_path, "".join(row if row is rows[-1] else row.replace("\n", ",\n") for row in rows), header=header)
    known = {"rtx 6000 ada": Card("RTX 6000 Ada", 48.0), "falcon": Card("Falcon")}

    def errors(cards: Cards) -> list[str]:
        return [str(each) for each in read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"}, cards).errors]

    column = GOOD.index("gpu") + 1
    assert errors(Cards(known, complete=True)) == [
        (
            f"{SRC}:6:{column}: gpu: expected the name of a card, or `not stated`, found `RTX 6000 Adda`"
            " (did you mean `RTX 6000 Ada`?)"
        ),
        (
            f"{SRC}:7:{column}: gpu: expected the name of a card, or `not stated`, found `Voodoo 2`"
            " (add the card, list it in absent.yml with what is lacking, or leave the row out as `unnamed-card`)"
        ),
    ]
    assert errors(Cards(known)) == [], "the file of a card cannot be read"


def test_rows_name_cards_of_the_data_of_absent_yml_and_of_before(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    write(data, "permalinks.yml", "gpus: {ada: gpus/rtx-6000-ada/}\n")
    write(
        data, "absent.yml", "gpus: {p40: {name: Tesla P40, vendor: NVIDIA, lacks: speed, citations: [{source: zero}]}}"
    )
    cards = cards_of(read_data(data))
    names = ("rtx-6000-ada", "RTX 6000 Ada", "RTX A6000 Ada", "ADA", "p40", "Tesla P40")
    assert {name: cards.gib(name) for name in names if cards.knows(name)} == {
        **dict.fromkeys(names[:4], 48.0), **dict.fromkeys(names[4:], None),
    }  # fmt: skip
    assert not cards.knows("RTX 4090")
    edit(data, GPU, "vendor: NVIDIA\n", "vendor: 1\n")
    cards = cards_of(read_data(data))
    assert cards.knows("RTX 6000 Ada"), "a file with an error still says its names"
    assert not cards.knows("RTX 4090")
    write(data, GPU, "name: [\n")
    assert cards_of(read_data(data)).knows("RTX 4090"), "nobody knows what that file would have said"


def shapes(tmp_path: Path, line: str, hidden: int = 64) -> list[str]:
    configs = tmp_path / "data" / "measurements" / "configs"
    configs.mkdir(parents=True)
    config = {"model_type": "gpt2", "n_embd": hidden, "n_layer": 1, "n_head": 1, "n_positions": 8, "vocab_size": 100}
    (configs / "toy.json").write_text(json.dumps(config))
    (configs.parent / "shapes.yml").write_text(f"shapes:\n  toy: {line}\n")
    return read(tmp_path, GOOD.replace(",m,full", ",toy,full"))[1]


def test_a_shape_is_counted_and_compared_with_what_was_published(tmp_path: Path) -> None:
    assert shapes(tmp_path / "a", "{source: src, where: p. 1, parameters: 57024}") == []
    (error,) = shapes(tmp_path / "b", "{source: src, where: p. 1, parameters: 57000}")
    assert "parameters: expected 57,024 as counted from the shape, found 57,000" in error
    (error,) = shapes(tmp_path / "c", "{source: src, where: p. 1, billions: 7}")
    assert "billions: expected 0.000 as counted from the shape, found 7" in error
    assert error.startswith("data/measurements/shapes.yml:2:45: shapes.toy.billions: ")
    (error,) = shapes(tmp_path / "d", "{source: nobody, where: p. 1, parameters: 57024}")
    assert "expected the id of a source, found `nobody`" in error


def test_what_builds_on_a_broken_config_is_not_reported(tmp_path: Path) -> None:
    shapes(tmp_path, "{source: src, where: p. 1, parameters: 57024}")
    folder = tmp_path / "data" / "measurements"
    (folder / "configs" / "toy.json").write_text("{\n  x")
    (folder / "known-misses.yml").write_text(MISS.replace("{WHEN}", "{method: [lora]}"), encoding="utf-8")
    (error,) = read(tmp_path, GOOD.replace(",m,full", ",toy,full"))[1]
    assert error.startswith("data/measurements/configs/toy.json:2:3: expected JSON, found an error: ")


def test_a_known_miss_names_files_that_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    (folder / "known-misses.yml").write_text(MISS.replace("{WHEN}", "{}").replace("[src]", "[scr]"), encoding="utf-8")
    assert read(tmp_path, GOOD)[1] == [
        (
            "data/measurements/known-misses.yml:4:15: misses.m.sources.0: expected the name of a CSV file beside this"
            " one, found `scr` (did you mean `src`?)"
        )
    ]


def test_sources_of_measurements_count_as_cited(tmp_path: Path) -> None:
    shapes(tmp_path, "{source: other, where: p. 1, parameters: 57024}")
    assert cited_by_measurements(tmp_path / "data") == {"src", "other"}


def test_published_totals_of_all_shapes(catalog: Catalog) -> None:
    used = {run.published.shape: run.shape for run in catalog.measurements}
    exact = {name: shape.parameters for name, shape in catalog.measured_shapes.items() if shape.parameters}
    assert len(exact) >= 8
    for name, parameters in exact.items():
        assert count_parameters(used[name]).total == parameters


MISS = (
    "misses:\n  m:\n    name: {ru: М, en: M}\n    sources: [src]\n    when: {WHEN}\n    known: unknown\n"
    "    reason: {ru: Неизвестно., en: Unknown.}\n"
)


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("{method: [full], grad_checkpointing: [y]}", []),
        ("{}", []),
        ("{method: [lora]}", ["misses.m: expected runs with these values, found none"]),
        ("{colour: [red]}", ["expected columns of a measurement, found `colour`"]),
    ],
)
def test_a_known_miss_speaks_of_runs(tmp_path: Path, when: str, wanted: list[str]) -> None:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    (folder / "known-misses.yml").write_text(MISS.replace("{WHEN}", when), encoding="utf-8")
    _, errors = read(tmp_path, GOOD)
    assert len(errors) == len(wanted)
    assert all(part in error for part, error in zip(wanted, errors, strict=True))


def test_texts_of_a_known_miss_are_those_of_any_file(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    miss = (
        MISS.replace("{WHEN}", "{}").replace("ru: Неизвестно.", "ru: Unknown.").replace("en: Unknown.", "en: <b>x</b>")
    )
    (folder / "known-misses.yml").write_text(miss, encoding="utf-8")
    assert [error.partition(":")[2].partition(": ")[2] for error in read(tmp_path, GOOD)[1]] == [
        "misses.m.reason.ru: expected Russian text, found no Cyrillic letter",
        "misses.m.reason.en: expected plain text, found `<b>`",
    ]


def test_runs_either_wrote_the_formulas_or_judge_alone(tmp_path: Path) -> None:
    both = "held_out: true\nformulas_written_by: true\ndefaults: [{setting: seq_len, value: '8', where: x}]\n"
    assert read(tmp_path, GOOD, both)[1] == [
        "data/measurements/src.yml:1:1: expected held_out or formulas_written_by, found both"
    ]


def test_a_source_says_that_the_formulas_were_written_by_it(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "formulas_written_by: true\ndefaults: [{setting: seq_len, value: '8', where: x}]\n")
    assert read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"}).fitting == {"src"}
    read(tmp_path, GOOD, "defaults: [{setting: seq_len, value: '8', where: x}]\n")
    assert read_measurements(tmp_path / "data", {"m": SHAPE}, {"src"}).fitting == set()
