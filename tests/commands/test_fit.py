from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from generator import cli
from generator.catalog import Catalog
from generator.verdict import judge_rig

if TYPE_CHECKING:
    import pytest


def fit(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["fit", *arguments]) == 0
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(fit(capsys, *arguments, "--format", "json"))


def test_a_rig_in_text(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    text = fit(capsys, "--rig", "4x RTX 6000 Ada")
    assert text.startswith("4x-rtx-6000-ada: 4× NVIDIA RTX 6000 Ada Generation, ")
    assert "● comfortable, ◐ borderline, ○ not recommended, ? unknown" in text
    for model, record in catalog.models.items():
        assert (f"\n{model} " in text) == (record.objective == "causal-lm"), model
    assert "\npretraining by size: 0.5B ●" in text


def test_a_rig_in_json_is_the_report(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    content = as_json(capsys, "--rig", "4x-rtx-6000-ada")
    report = judge_rig(catalog, "4x-rtx-6000-ada")
    assert {(v["model"], v["method"]): v["verdict"] for v in content["verdicts"]} == {
        key: verdict.verdict for key, verdict in report.verdicts.items()
    }
    assert {r["model"]: [m["method"] for m in r["modes"]] for r in content["recommended"]} == {
        model: [mode.method for mode in recommendation.modes] for model, recommendation in report.recommended.items()
    }
    assert set(content["verdicts"][0]) >= {
        "model", "method", "verdict", "recipe", "peak_gib", "peak_phase", "usable_gib", "max_seq_len", "host_ram_gib",
        "tokens_per_sec_per_gpu", "reasons",
    }  # fmt: skip


def test_one_model_in_detail(capsys: pytest.CaptureFixture[str]) -> None:
    text = fit(capsys, "--rig", "4x-rtx-6000-ada", "--model", "Qwen/Qwen3-14B")
    assert "\n◐ full: borderline\n" in text
    assert "  → full-" in text
    assert "longest context that fits: " in text
    content = as_json(capsys, "--rig", "4x-rtx-6000-ada", "--model", "Qwen/Qwen3-14B")
    assert {verdict["model"] for verdict in content["verdicts"]} == {"qwen3-14b"}
    assert [each["model"] for each in content["recommended"]] == ["qwen3-14b"]


def test_cards_that_have_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    text = fit(capsys, "--gpu", "RTX A6000 Ada", "--count", "2")
    assert text.startswith("2x-rtx-6000-ada: 2× NVIDIA RTX 6000 Ada Generation")
    assert "host memory not stated, link not stated" in text
    told = fit(capsys, "--gpu", "rtx-6000-ada", "--count", "2", "--host-memory-gib", "512", "--bus-gb-per-s", "20")
    assert "512 GiB of host memory, 20 GB/s per GPU" in told


def test_the_same_machine_gets_the_same_verdicts(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    rig = catalog.rigs["4x-rtx-6000-ada"]
    host, bus = rig.host_memory_gib.value, rig.interconnect.bus_gb_per_s.value
    by_card = as_json(
        capsys, "--gpu", rig.gpu, "--count", "4", "--host-memory-gib", f"{host}", "--bus-gb-per-s", f"{bus}"
    )
    by_rig = as_json(capsys, "--rig", "4x-rtx-6000-ada")
    assert by_card["verdicts"] == by_rig["verdicts"]


def test_unknown_comes_with_its_reason_in_words(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    lines = fit(capsys, "--rig", "1x-rtx-4090").splitlines()
    head = next(line for line in lines if line.startswith("model "))
    column = head.index("why unknown")
    rows = {line.split()[0]: line for line in lines[lines.index(head) + 1 :] if line.split()[:1]}
    unknown = 0
    for model, record in catalog.models.items():
        if record.objective == "causal-lm":
            features = record.architecture.shape().unmodelled
            assert bool(rows[model][column:]) == bool(features), model
            assert all(feature.replace("-", " ") in rows[model][column:] for feature in features), model
            unknown += bool(features)
    assert unknown
    detail = fit(capsys, "--rig", "1x-rtx-4090", "--model", "deepseek-v3.2")
    assert "? full: unknown; the memory model lacks sparse attention\n" in detail


def test_a_method_without_a_recipe_for_the_machine_says_so(
    catalog: Catalog, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = catalog.methods["lora"].model_copy(update={"ladder": ()})
    with_bare = replace(catalog, methods={**catalog.methods, "lora": bare})
    monkeypatch.setattr("generator.commands.fit.load_catalog", lambda _: with_bare)
    assert "? lora: unknown; no recipe is meant for such a machine\n" in fit(
        capsys, "--rig", "1x-rtx-4090", "--model", "qwen3-8b"
    )
    assert "lora: no recipe is meant for such a machine\n" in fit(capsys, "--rig", "1x-rtx-4090")
