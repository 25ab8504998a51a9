"""`trainfit add model`, from a file and from a real server in the place of the Hub."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from generator import cli
from generator.catalog import DATA_DIR, load_catalog
from generator.catalog.hub import OFFICIAL, HubError, HubModel, read_model
from generator.errors import CatalogErrors
from tests.hub_stand_in import COMMIT, Hub, hub
from tests.support import tiny_catalog

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 20,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192,
    "vocab_size": 128256, "tie_word_embeddings": True, "max_position_embeddings": 131072,
}  # fmt: skip
TOTAL = 128256 * 2048 + 20 * (2 * 2048 + 2048 * (2048 + 2 * 512) + 2048 * 2048 + 3 * 2048 * 8192) + 2048
FILLED = {
    "family": "Acme", "vendor": "Acme AI", "released.value": '"2026-10-01"', "released.as_printed": "October 1, 2026",
    "released.where": "News", "licence.value": "Apache-2.0", "licence.as_printed": "Apache 2.0",
    "licence.where": "License", "parameters.stated_billions.value": "1.5",
    "parameters.stated_billions.as_printed": "1.5B", "parameters.stated_billions.where": "Overview",
    "sources.acme-1.5b-card.read": '"2026-12-02"', "sources.acme-1.5b-config.access": "copy",
    "sources.acme-1.5b-config.seen_at": "https://example.org/config.json",
    "sources.acme-1.5b-config.revision": COMMIT, "sources.acme-1.5b-card.publisher": "Acme AI",
    "sources.acme-1.5b-config.publisher": "Acme AI",
}  # fmt: skip
"""What a person reads on the card, by field."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with hub() as here:
        monkeypatch.setenv("HF_ENDPOINT", here.url)
        yield here


def add(data: Path, *arguments: str) -> int:
    return cli.main(["--data-dir", str(data), "add", "model", "--read", "2026-12-02", *arguments])


def fill(path: Path, data: Path, filled: Mapping[str, str] = FILLED) -> None:
    """Puts what a person would read in the place of each blank that `check` names."""
    lines = path.read_text(encoding="utf-8").splitlines()
    with pytest.raises(CatalogErrors) as caught:
        load_catalog(data)
    for error in caught.value.errors:
        assert error.rule == "blank", str(error)
        line = lines[error.line - 1]
        assert line[error.column - 1 :].startswith('"?? ')
        lines[error.line - 1] = line[: error.column - 1] + filled[error.field]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_an_unfinished_draft_does_not_keep_from_the_next(
    data: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(data, str(file), "--hugging-face", "acme/Acme-1.5B-Instruct") == 0
    file.write_text(json.dumps({**CONFIG, "num_hidden_layers": 24}), encoding="utf-8")
    assert add(data, str(file), "--hugging-face", "acme/Acme-2B-Instruct") == 0
    assert capsys.readouterr().out.count("wrote data/models/") == 2
    (data / "policy.yml").unlink()
    assert add(data, str(file), "--hugging-face", "acme/Acme-3B-Instruct") == 1
    assert "data/policy.yml:1:1: expected a file, found nothing" in capsys.readouterr().err


def test_from_a_file_and_filled_it_passes_check(data: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(data, str(file), "--hugging-face", "acme/Acme-1.5B-Instruct") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("wrote data/models/acme/acme-1.5b.yml\n")
    assert "data/models/acme/acme-1.5b.yml:8: released.value: expected the day of the release" in printed
    path = data / "models" / "acme" / "acme-1.5b.yml"
    fill(path, data)
    catalog = load_catalog(data)
    model = catalog.model("acme/Acme-1.5B-Instruct")
    assert model.parameters.exact.value == TOTAL
    assert model.context_tokens is not None
    assert model.context_tokens.value == 131072
    assert catalog.sources["acme-1.5b-config"].revision == COMMIT
    assert not [warning for warning in catalog.warnings if warning.path.endswith("acme-1.5b.yml")]


def test_the_real_catalogue_takes_it_too(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = Path(shutil.copytree(DATA_DIR, tmp_path / "data"))
    assert add(data, str(file), "--hugging-face", "acme/Acme-1.5B-Instruct") == 0
    assert "same shape" not in capsys.readouterr().out
    fill(data / "models" / "acme" / "acme-1.5b.yml", data)
    assert "acme-1.5b" in load_catalog(data).models


@pytest.mark.parametrize(
    ("name", "named", "meant"),
    [
        ("Brand-New_7B/config.json", None, "--id brand-new-7b"),
        ("work/acme-1b.json", None, "--id acme-1b"),
        ("work/config.json", "acme/Acme-1.5B", "--hugging-face acme/Acme-1.5B, which the file names"),
        ("Модель/config.json", "./checkpoints/x/y", "--id acme-7b"),
    ],
)
def test_a_file_alone_does_not_name_a_model(
    data: Path, tmp_path: Path, name: str, named: str | None, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(json.dumps({**CONFIG, **({"_name_or_path": named} if named else {})}), encoding="utf-8")
    before = sorted((data / "models").rglob("*"))
    assert add(data, str(path)) == 2
    assert capsys.readouterr().err.endswith(
        "expected --hugging-face owner/name or --id with a file, which does not say what its model is called, found"
        f" neither (perhaps {meant})\n"
    )
    assert sorted((data / "models").rglob("*")) == before
    assert add(data, str(path.parent if path.name == "config.json" else path), "--id", "brand-new-7b") == 0
    text = (data / "models" / "brand-new" / "brand-new-7b.yml").read_text(encoding="utf-8")
    assert "\nname: brand-new-7b\n" in text


@pytest.mark.parametrize("address", ["acme/Acme-1.5B", f"{OFFICIAL}/acme/Acme-1.5B", f"{OFFICIAL}/acme/Acme-1.5B/"])
def test_a_repository_by_its_id_or_its_address(data: Path, server: Hub, address: str) -> None:
    server.model("acme/Acme-1.5B", CONFIG)
    assert add(data, address) == 0
    assert (data / "models" / "acme" / "acme-1.5b.yml").is_file()


def test_what_is_neither_a_repository_nor_a_file(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(data, "codellama") == 2
    assert (
        "expected owner/name of a repository on the Hub or a config.json, found 'codellama'" in capsys.readouterr().err
    )
    assert add(data, "qwen3-0.6b") == 1
    assert "found `qwen3-0.6b` as `qwen3-0.6b` in data/models/qwen3/qwen3-0.6b.yml" in capsys.readouterr().err


UNCHECKED = f"{TOTAL:,} parameters by config.json alone: nothing else was there to check the count"


def test_a_count_that_nothing_checks_is_said(
    data: Path, server: Hub, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(data, str(file), "--hugging-face", "acme/Acme-1.5B") == 0
    printed = capsys.readouterr().out
    assert UNCHECKED in printed
    assert "`.venv/bin/trainfit add model acme/Acme-1.5B`" in printed
    server.model("acme/Acme-2", CONFIG)
    assert add(data, "acme/Acme-2") == 0
    assert UNCHECKED in capsys.readouterr().out


def test_the_count_is_compared_with_the_weights_beside_the_file(
    data: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps({**CONFIG, "torch_dtype": "bfloat16"}), encoding="utf-8")
    index = file.parent / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 2 * TOTAL}}), encoding="utf-8")
    assert add(data, str(file), "--hugging-face", "acme/Acme-1.5B-Instruct", "--revision", COMMIT) == 0
    said = f"{TOTAL:,} parameters by config.json, as many as in the checkpoint by {index.name}\n"
    assert said in capsys.readouterr().out
    weights = {key.replace("-config", "-weights"): value for key, value in FILLED.items() if "-config" in key}
    fill(data / "models" / "acme" / "acme-1.5b.yml", data, {**FILLED, **weights})
    catalog = load_catalog(data)
    also = catalog.models["acme-1.5b"].parameters.exact.also[0]
    assert also.where == f"{index.name}, metadata.total_size: {2 * TOTAL} bytes, 2 per element"
    assert (catalog.sources[also.source].url or "").endswith(f"/acme/Acme-1.5B-Instruct/blob/{COMMIT}/{index.name}")


def test_weights_that_hold_something_else_are_a_conflict(
    data: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = TOTAL + 16 * 2048  # a vocabulary of 128,272 where config.json says 128,256
    index = file.parent / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_parameters": more}}), encoding="utf-8")
    assert add(data, str(file), "--id", "acme-1.5b") == 0
    said = f"{TOTAL:,} parameters by config.json, but {more:,} in the checkpoint by {index.name}, as with a"
    said += " vocabulary of 128,272 instead of 128,256: see parameters.exact.conflicts in the file\n"
    assert said in capsys.readouterr().out
    written = (data / "models" / "acme" / "acme-1.5b.yml").read_text(encoding="utf-8")
    assert "holds +32,768 elements against the count" in written


def test_another_difference_is_not_laid_to_the_vocabulary(
    data: Path, server: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, more in enumerate((5, 2048 * 2 + 1, -(128_256 * 2048))):
        server.model(f"acme/Other-{number}b", CONFIG, safetensors={"total": TOTAL + more})
        assert add(data, f"acme/Other-{number}b") == 0
        printed = capsys.readouterr().out
        assert f"but {TOTAL + more:,} in the checkpoint by the record of the Hub: see" in printed


def test_a_file_that_is_refused_is_named(
    data: Path, server: Hub, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = {key: value for key, value in CONFIG.items() if key != "model_type"}
    file.write_text(json.dumps(config), encoding="utf-8")
    server.model("acme/Acme-1.5B", config)
    for arguments, where in (((str(file),), str(file)), (("acme/Acme-1.5B",), "acme/Acme-1.5B: config.json")):
        assert add(data, *arguments) == 1
        assert f"{where}: model_type: expected one of the" in capsys.readouterr().err


def test_from_the_hub_the_commit_is_pinned(data: Path, server: Hub) -> None:
    server.model(
        "acme/Acme-1.5B", CONFIG, cardData={"license": "apache-2.0"}, createdAt="2026-09-30T10:00:00.000Z",
        gated="auto", safetensors={"parameters": {"BF16": TOTAL}, "total": TOTAL},
    )  # fmt: skip
    assert add(data, "acme/Acme-1.5B") == 0
    assert [path for path, _ in server.asked] == [
        "/api/models/acme/Acme-1.5B/revision/main",
        f"/acme/Acme-1.5B/resolve/{COMMIT}/config.json",
        f"/api/resolve-cache/models/acme/Acme-1.5B/{COMMIT}/config.json",
    ]
    path = data / "models" / "acme" / "acme-1.5b.yml"
    assert "the repository was made on 2026-09-30" in path.read_text(encoding="utf-8")
    fill(path, data)
    catalog = load_catalog(data)
    model = catalog.model("acme-1.5b")
    assert model.licence is not None
    assert (model.licence.value, model.licence.as_printed) == ("Apache-2.0", "apache-2.0")
    assert model.gated is not None
    assert model.gated.value is True
    assert [each.as_printed for each in model.parameters.exact.also] == [str(TOTAL)]
    for source in ("acme-1.5b-config", "acme-1.5b-record"):
        assert catalog.sources[source].revision == COMMIT
        assert COMMIT in (catalog.sources[source].url or "")
        assert catalog.sources[source].access == "copy", "a server that is not the Hub gave it"


def test_what_was_read_at_the_hub_itself_is_the_page(catalog: Any) -> None:
    import datetime

    from generator.catalog.draft import Origin, draft, names_for

    model = HubModel("acme/Acme-1.5B", COMMIT, CONFIG, {}, OFFICIAL)
    texts = {kind: {"ru": "Х.", "en": "X."} for kind in ("card", "config", "record", "weights")}
    origin = Origin(CONFIG, datetime.date(2026, 12, 2), model.repository, COMMIT, model)
    sources = draft(origin, names_for(catalog, "Acme-1.5B"), texts)["sources"]
    assert {key: source["access"] for key, source in sources.items()} == dict.fromkeys(sources, "page")


@pytest.mark.parametrize(
    ("tag", "name"),
    [("cc-by-nc-sa-4.0", "CC-BY-NC-SA-4.0"), ("mit", "MIT"), ("gemma", "Gemma Terms of Use"), ("x-1", "x-1")],
)
def test_the_licence_of_the_hub_is_spelled_as_check_wants_it(catalog: Any, tag: str, name: str) -> None:
    import datetime

    from generator.catalog.draft import Origin, draft, names_for

    model = HubModel("acme/Acme-1.5B", COMMIT, CONFIG, {"cardData": {"license": tag}}, OFFICIAL)
    texts = {kind: {"ru": "Х.", "en": "X."} for kind in ("card", "config", "record", "weights")}
    origin = Origin(CONFIG, datetime.date(2026, 12, 2), model.repository, COMMIT, model)
    licence = draft(origin, names_for(catalog, "Acme-1.5B"), texts)["licence"]
    assert (licence["value"], licence["as_printed"]) == (name, tag)


def test_a_checkpoint_that_holds_something_else_is_a_conflict_to_explain(data: Path, server: Hub) -> None:
    server.model("acme/Acme-1.5B", CONFIG, safetensors={"total": TOTAL + 5})
    assert add(data, "acme/Acme-1.5B") == 0
    with pytest.raises(CatalogErrors) as caught:
        load_catalog(data)
    messages = {error.field: error.message for error in caught.value.errors}
    assert "holds +5 elements" in messages["parameters.exact.conflicts.0.reason.en"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_closed_repository_is_said(data: Path, server: Hub, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    server.json("/api/models/acme/secret/revision/main", {"error": "gated"}, status)
    assert add(data, "acme/secret") == 1
    assert f"gated, private or not there (status {status}): set HF_TOKEN" in capsys.readouterr().err


def test_the_token_goes_to_the_hub(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "token-of-a-test")
    server.model("acme/Acme-1.5B", CONFIG, revision="v1.0%2Fx")
    assert read_model("acme/Acme-1.5B", "v1.0/x").commit == COMMIT
    assert [authorization for _, authorization in server.asked] == ["Bearer token-of-a-test"] * 3


def test_the_token_goes_nowhere_else(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "token-of-a-test")
    with hub() as other:
        server.model("acme/Acme-1.5B", CONFIG)
        server.answers[f"/acme/Acme-1.5B/resolve/{COMMIT}/config.json"] = (302, {"Location": f"{other.url}/x"}, b"")
        with pytest.raises(HubError, match="found a redirect to another server"):
            read_model("acme/Acme-1.5B")
        assert other.asked == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((200, {}, b"{"), "expected JSON in UTF-8, found JSONDecodeError"),
        ((200, {}, b"\xff"), "expected JSON in UTF-8, found UnicodeDecodeError"),
        ((200, {}, b"[" * 100_000), "expected JSON in UTF-8, found RecursionError"),
        ((200, {}, b"[]"), "expected the record of a model, found something else"),
        ((200, {}, b"{}"), "expected the commit of 'main', found none"),
        ((200, {}, b'{"sha": "../../x"}'), "expected the commit of 'main', found none"),
        ((200, {}, b" " * (4 * 1024 * 1024 + 1)), "expected at most 4096 KiB, found a longer answer"),
        ((404, {}, b""), "found none (status 404): is the id or the revision spelled right?"),
        ((500, {}, b""), "expected an answer, found status 500"),
        ((302, {"Location": "/api/models/acme/Acme-1.5B/revision/main"}, b""), "found status 302"),
        ((302, {"Location": "file:///etc/passwd"}, b""), "expected an answer, found status 302"),
    ],
    ids=range(11),
)
def test_a_bad_answer_is_one_line(
    data: Path,
    server: Hub,
    answer: tuple[int, dict[str, str], bytes],
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.answers["/api/models/acme/Acme-1.5B/revision/main"] = answer
    assert add(data, "acme/Acme-1.5B") == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not (data / "models" / "acme").exists()


def test_a_server_that_is_not_there(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with hub() as gone:
        url = gone.url
    monkeypatch.setenv("HF_ENDPOINT", url)
    assert add(data, "acme/Acme-1.5B") == 1
    assert "expected an answer, found" in capsys.readouterr().err
    monkeypatch.setenv("HF_ENDPOINT", "ftp://x")
    assert add(data, "acme/Acme-1.5B") == 1
    assert "HF_ENDPOINT: expected an http(s) address" in capsys.readouterr().err


def test_what_is_there_stays(data: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(data, str(file), "--hugging-face", "Qwen/Qwen3-0.6B") == 1
    assert "found `Qwen/Qwen3-0.6B` as `qwen3-0.6b` in data/models/qwen3/qwen3-0.6b.yml" in capsys.readouterr().err
    assert add(data, str(file), "--id", "qwen3-0.6b", "--family", "other") == 1
    assert not (data / "models" / "other").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--id", "../x"), "argument --id: expected lower-case"),
        (("--id", "x.html"), "argument --id: expected lower-case"),
        (("--family", "a/b"), "argument --family: expected lower-case"),
        (("--hugging-face", "x"), "argument --hugging-face: expected owner/name"),
        (("--revision", "main"), "argument --revision: expected the commit"),
    ],
)
def test_wrong_usage(
    data: Path, file: Path, arguments: tuple[str, str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = add(data, str(file), *arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2
    assert expected in capsys.readouterr().err


def test_a_file_that_is_none(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(data, str(tmp_path / "gone.json")) == 1
    assert "expected a readable file" in capsys.readouterr().err
    (tmp_path / "x.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    assert add(data, str(tmp_path / "x.json")) == 1
    assert "model_type: expected one of the" in capsys.readouterr().err


def test_a_quantised_copy_is_said(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "acme-1b.json"
    path.write_text(json.dumps({**CONFIG, "quantization_config": {"quant_method": "fp8"}}), encoding="utf-8")
    assert add(data, str(path), "--id", "acme-1b") == 0
    assert "add the original instead" in capsys.readouterr().out
