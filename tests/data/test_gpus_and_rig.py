"""Every GPU file, and the rig that the report is about."""

from __future__ import annotations

import itertools

import pytest

from generator.catalog import load_catalog
from generator.units import gib_from_mib

GPUS = sorted(load_catalog().gpus)
CARD, RIG = "rtx-6000-ada", "4x-rtx-6000-ada"


def test_forty_eight_gigabytes_stand_on_at_least_three_sources(catalog):
    label = catalog.gpus[CARD].memory_label_gib
    citations = label.citations
    assert label.value == 48
    assert len({citation.source for citation in citations}) >= 3
    assert len({catalog.sources[citation.source].publisher for citation in citations}) >= 3
    assert all("48" in (citation.as_printed or "") for citation in citations)


def test_memory_with_ecc_on_and_off(catalog):
    gpu = catalog.gpus[CARD]
    assert (gpu.usable_mib.on.value, gpu.usable_mib.off.value) == (46_068, 49_140)
    assert (gpu.framework_visible_gib.on.value, gpu.framework_visible_gib.off.value) == (44.43, 47.4)
    assert gpu.usable_mib.on.kind == gpu.usable_mib.off.kind == gpu.framework_visible_gib.on.kind == "measured"


@pytest.mark.parametrize("gpu_id", GPUS)
def test_inline_ecc_takes_a_sixteenth_and_other_kinds_nothing(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    share = gpu.usable_mib.on.value / gpu.usable_mib.off.value
    expected = 15 / 16 if gpu.ecc is not None and gpu.ecc.value == "inline" else 1
    assert share == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("gpu_id", GPUS)
def test_the_framework_sees_a_little_less_than_the_driver(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    for ecc in ("on", "off"):
        total, visible = gpu.usable_mib.of(ecc), gpu.framework_visible_gib.of(ecc)
        # Where no reading of the driver was found, what the framework sees stands in for it.
        most = 1 if total.source == visible.source and total.kind == "computed" else 0.9999999
        assert 0.92 * gib_from_mib(total.value) < visible.value <= most * gib_from_mib(total.value)


@pytest.mark.parametrize("gpu_id", GPUS)
def test_sustained_speed_is_assumed_with_a_reason_and_a_measured_basis(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    sustained = (gpu.sustained_tflops.cautious, gpu.sustained_tflops.expected, gpu.sustained_tflops.best)
    assert all(first.value < second.value for first, second in itertools.pairwise(sustained))
    assert sustained[-1].value < gpu.dense_tflops.value
    for value in sustained:
        assert value.kind == "assumed"
        assert value.reason is not None
        assert value.source is not None


def test_the_card_of_the_report(catalog):
    gpu = catalog.gpus[CARD]
    assert gpu.nvlink.value is False
    assert gpu.p2p.value == "expected"
    assert gpu.bf16_dense_tflops.value == 364.2
    assert gpu.bf16_dense_tflops.value == pytest.approx(142 * 1024 * 2505e6 / 1e12, abs=0.1)
    speeds = gpu.sustained_tflops
    assert (speeds.cautious.value, speeds.expected.value, speeds.best.value) == (55, 90, 150)


@pytest.mark.parametrize("name", ["RTX A6000 Ada", "a6000 ada", "NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"])
def test_misnomers_lead_to_the_card(catalog, name):
    assert catalog.resolve_gpu(name) == CARD


def test_the_name_is_corrected_and_the_real_a6000_stays_itself(catalog):
    note = catalog.gpus[CARD].name_note
    assert note is not None
    for language in ("ru", "en"):
        text = note.in_language(language)
        assert "RTX A6000 Ada" in text
        assert "RTX 6000 Ada Generation" in text
    assert catalog.resolve_gpu("RTX A6000") == "rtx-a6000"


def test_cards_of_24_48_80_and_96_gigabytes_can_be_asked_for(catalog):
    assert {gpu.memory_label_gib.value for gpu in catalog.gpus.values()} >= {24, 48, 80, 96}


def test_the_rig(catalog):
    rig = catalog.rigs[RIG]
    assert (rig.gpu, rig.count) == (CARD, 4)
    assert (rig.host_memory_gib.value, rig.host_memory_gib.kind) == (256, "assumed")
    assert (rig.interconnect.p2p.value, rig.interconnect.p2p.kind) == (True, "assumed")
    assert (rig.interconnect.bus_gb_per_s.value, rig.interconnect.bus_gb_per_s.kind) == (22, "assumed")
    assert rig.question is not None
    assert "A6000 Ada" in rig.question.ru
    assert "A6000 Ada" in rig.question.en


def test_the_four_findings_and_what_they_rest_on(catalog):
    findings = {finding.id: finding for finding in catalog.rigs[RIG].findings}
    sources = {name: {citation.source for citation in finding.citations} for name, finding in findings.items()}
    assert list(findings) == ["four-pools", "qlora-65b", "zero-shards", "six-distills"]
    assert "qlora" in sources["qlora-65b"]
    assert "deepspeed-zero3" in sources["zero-shards"]
    assert "deepseek-r1" in sources["six-distills"]
    assert any(catalog.sources[source].publisher == "PNY" for source in sources["four-pools"])
    for finding in findings.values():
        assert any(citation.as_printed for citation in finding.citations), finding.id


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("linux-pytorch", ["Linux", "PyTorch", "Transformers", "TRL", "Accelerate"]),
        ("sharding", ["FSDP2", "ZeRO-3"]),
        ("quantisation", ["bitsandbytes", "torchao", "NF4"]),
        ("bf16", ["BF16"]),
        ("attention", ["FlashAttention", "SDPA"]),
        ("fused-loss", ["Liger"]),
        ("topology", ["nvidia-smi topo -m", "nvidia-smi topo -p2p r"]),
        ("ecc", ["ECC"]),
        ("no-dataparallel", ["DataParallel"]),
    ],
)
def test_the_practical_stack_says(catalog, item, words):
    line = catalog.stack[item]
    for word in words:
        assert word in line.text.ru
        assert word in line.text.en
    assert all(citation.as_printed or citation.where for citation in line.citations)


def test_the_stack_warns_of_data_parallel(catalog):
    assert catalog.stack["no-dataparallel"].avoid
    assert not catalog.stack["sharding"].avoid
    orders = [item.order for item in catalog.stack.values()]
    assert orders == sorted(set(orders))
