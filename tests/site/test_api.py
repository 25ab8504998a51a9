"""The files of the API as they lie below the site: valid by their schemas, the same each time, safe in spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from urllib.parse import urljoin

import jsonschema
import pytest

from generator.site import build as building
from generator.site.api import API_PATH, api_texts, cell_text, csv_text, json_text, write_api
from generator.site.page import LANGUAGES
from generator.site.urls import PREFIXES
from tests.site.html_tree import parse
from tests.site.pages_support import site_catalog, site_pages, site_reports, to_html

RIG = "4x-rtx-6000-ada"


@pytest.fixture(scope="module")
def api_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    write_api(site_catalog(), site_reports(), site)
    return site / API_PATH


def load(path: Path):
    return json.loads(path.read_bytes().decode("utf-8"))


def test_the_files_of_the_contract_are_there(api_dir: Path) -> None:
    catalog = site_catalog()
    wanted = {"index.json", "rigs.json", "sources.json", "verdicts.csv", "measurements.csv"}
    wanted |= {f"rigs/{rig}.{ending}" for rig in catalog.rigs for ending in ("json", "csv")}
    wanted |= {f"models/{model}.json" for model in catalog.models}
    there = {path.relative_to(api_dir).as_posix() for path in api_dir.rglob("*") if path.is_file()}
    assert {path for path in there if not path.startswith("schemas/")} == wanted


def test_the_table_of_measured_runs_holds_every_run(api_dir: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((api_dir / "measurements.csv").read_text(encoding="utf-8"))))
    runs = {run.id: run for run in site_catalog().measurements}
    assert [row["id"] for row in rows] == list(runs)
    for row in rows:
        run = runs[row["id"]]
        assert row["source_url"].startswith("https://")
        assert row["seq_len"] == str(run.settings.seq_len or "")
        if row["error"]:
            error = float(row["estimated_gib_expected"]) / float(row["measured_gib"]) - 1
            assert float(row["error"]) == pytest.approx(error, abs=2e-4)
            assert row["not_compared"] == ""
        assert bool(row["not_compared"]) is not bool(row["estimated_gib_expected"])


def test_every_file_is_valid_by_its_schema(api_dir: Path) -> None:
    checked = 0
    for entry in load(api_dir / "index.json")["files"]:
        assert (api_dir / entry["path"]).is_file(), entry["path"]
        if entry["schema_path"] is None:
            assert entry["media_type"] == "text/csv"
            continue
        schema = load(api_dir / entry["schema_path"])
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(load(api_dir / entry["path"]))
        checked += 1
    assert checked == len([path for path in api_dir.rglob("*.json") if path.parent.name != "schemas"])


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": "1"},
        {"data_date": "yesterday"},
        {"rig": None},
        {"verdicts": [{"model": "qwen3-14b"}]},
        {"clock": "12:00"},
    ],
)
def test_the_schema_refuses_what_is_wrong(api_dir: Path, change) -> None:
    schema = load(api_dir / "schemas" / "rig.schema.json")
    content = load(api_dir / "rigs" / f"{RIG}.json")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(content | change)


def test_the_schema_knows_the_verdicts(api_dir: Path) -> None:
    schema = load(api_dir / "schemas" / "rig.schema.json")
    content = load(api_dir / "rigs" / f"{RIG}.json")
    content["verdicts"][0]["verdict"] = "perfect"
    with pytest.raises(jsonschema.ValidationError, match="perfect"):
        jsonschema.Draft202012Validator(schema).validate(content)


def test_files_are_the_same_each_time_whatever_the_order_of_the_reports() -> None:
    catalog, reports = site_catalog(), site_reports()
    assert api_texts(catalog, reports) == api_texts(catalog, dict(reversed(reports.items())))
    assert list(api_texts(catalog, reports)) == sorted(api_texts(catalog, reports))


def test_files_are_utf_8_with_lf(api_dir: Path) -> None:
    for path in api_dir.rglob("*.*"):
        text = path.read_bytes().decode("utf-8")
        assert "\r" not in text, path
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path


def test_the_table_reads_back_as_the_numbers_of_the_json(api_dir: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((api_dir / "rigs" / f"{RIG}.csv").read_text(encoding="utf-8"))))
    verdicts = load(api_dir / "rigs" / f"{RIG}.json")["verdicts"]
    assert len(rows) == len(verdicts)
    for row, verdict in zip(rows, verdicts, strict=True):
        assert (row["model"], row["method"], row["verdict"]) == (
            verdict["model"],
            verdict["method"],
            verdict["verdict"],
        )
        if verdict["verdict"] == "unknown":
            assert (row["peak_gib_expected"], row["ratio"]) == ("", "")
        else:
            assert float(row["peak_gib_expected"]) == verdict["peak_gib"]["expected"]
            assert float(row["ratio"]) == verdict["ratio"]
        assert row["max_seq_len"] == ("" if verdict["max_seq_len"] is None else str(verdict["max_seq_len"]))
        assert row["reasons"].split() == [reason["id"] for reason in verdict["reasons"]]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("qwen3-14b", "qwen3-14b"),
        ("", ""),
        (-1.5, "-1.5"),
        (-2, "-2"),
        (0.0, "0.0"),
        (None, ""),
    ],
)
def test_no_text_runs_as_a_formula_and_numbers_stay_numbers(cell, text: str) -> None:
    assert cell_text(cell) == text


def test_a_table_quotes_what_needs_it() -> None:
    assert csv_text(("a", "b"), [('=HYPERLINK("x","y")', -1)]) == 'a,b\n"\'=HYPERLINK(""x"",""y"")",-1\n'


def test_json_has_no_numbers_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_text({"ratio": float("nan")})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("root", ["https://example.org/", "https://example.org/name/"])
def test_the_page_of_a_rig_links_its_table(language, root: str) -> None:
    page = site_pages(language)[f"rigs/{RIG}/"]
    address = f"{root}{PREFIXES[language]}{page.path}"
    links = {urljoin(address, e.attributes["href"]) for e in parse(to_html(page)).elements() if "href" in e.attributes}
    assert {f"{root}{API_PATH}rigs/{RIG}.json", f"{root}{API_PATH}rigs/{RIG}.csv"} <= links


@pytest.mark.usefixtures("without_programs")
def test_a_build_writes_the_files_into_the_site(tmp_path: Path, reduced_data: Path) -> None:
    """With everything left out that takes a browser, Pagefind or MkDocs."""
    site = building.build(reduced_data, tmp_path / "site", work_dir=tmp_path / "work").site_dir
    for name, text in api_texts(site_catalog(), site_reports()).items():
        assert (site / name).read_bytes() == text.encode("utf-8"), name
    assert not (site / "en" / "api").exists()
