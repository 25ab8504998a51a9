"""What holds of all cards together: how many there are, that their figures are the dense ones, what they are called."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from generator.catalog import load_catalog
from generator.estimate.accuracy import compare

NOT_STATED = "not stated"
"""What stands for the card in a row of a source that names none."""
GPUS = sorted(load_catalog().gpus)
HALF_RATE_OF_THE_CHIP = {
    # GeForce card, workstation or data-centre card of the same chip: SM counts of both.
    "rtx-4090": ("rtx-6000-ada", 128, 142),
    "rtx-3090-ti": ("rtx-a6000", 84, 84),
    "rtx-5090": ("rtx-pro-6000-ws", 170, 188),
}
NAMES_OF_PUBLISHED_RUNS = {
    "A100-80GB": "a100-80-sxm",
    "A100-40GB": "a100-40-sxm",
    "H100-80GB": "h100-sxm",
    "A10G-24GB": "a10g",
    "H100-96GB": "h100-sxm-96",
    "A100": "a100-80-sxm",
    "A800-80GB": "a800-80-sxm",
    "L40-48GB": "l40",
    "T4-16GB": "t4",
    "RTX 4090": "rtx-4090",
    "RTX A6000": "rtx-a6000",
    "H200-141GB": "h200-sxm",
    "Blackwell 184GiB-class (unnamed)": "gb200",
}


def test_at_least_fifty_cards_of_three_vendors(catalog):
    assert len(catalog.gpus) >= 50
    assert {gpu.vendor for gpu in catalog.gpus.values()} == {"NVIDIA", "AMD", "Intel"}


@pytest.mark.parametrize(("name", "gpu_id"), NAMES_OF_PUBLISHED_RUNS.items())
def test_names_that_published_runs_use_resolve(catalog, name, gpu_id):
    assert catalog.resolve_gpu(name) == gpu_id


def test_every_card_of_the_measurements_resolves(catalog):
    scored = [run.settings for run in catalog.measurements if run.settings.left_out is None]
    named = {row.gpu for row in scored} - {NOT_STATED}
    assert len(named) >= 8
    for name in named:
        assert catalog.resolve_gpu(name) in catalog.gpus


def test_a_run_without_its_card_is_scored_by_its_memory_alone(catalog):
    """What a run needs depends on no card; whether it fits, and how fast it is, does."""
    named = [each.run for each in compare(catalog).comparisons[:20] if each.error is not None]
    hidden = tuple(replace(run, settings=run.settings.model_copy(update={"gpu": NOT_STATED})) for run in named)
    nameless = compare(replace(catalog, measurements=hidden)).comparisons
    assert len(nameless) == len(named)
    for each in nameless:
        assert each.error is not None
        assert (each.fits, each.ratio, each.speed) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "gpu_id"),
    [
        ("A100-SXM4-40GB", "a100-40-sxm"),
        ("H100 SXM", "h100-sxm"),
        ("4090", "rtx-4090"),
        ("L40S-48GB", "l40s"),
        ("a10g", "a10g"),
        ("rtx a6000 ada", "rtx-6000-ada"),
        ("DGX Spark", "dgx-spark-gb10"),
        ("7900 XTX", "rx-7900-xtx"),
        ("Gaudi2", "gaudi2"),
        ("RTX PRO 6000", "rtx-pro-6000-ws"),
    ],
)
def test_names_that_people_use(catalog, name, gpu_id):
    assert catalog.resolve_gpu(name) == gpu_id


@pytest.mark.parametrize("gpu_id", GPUS)
def test_the_dense_peak_is_not_the_sparse_one(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    sparse = gpu.bf16_sparse_tflops
    if sparse is not None:
        assert sparse.value == pytest.approx(2 * gpu.bf16_dense_tflops.value, rel=0.02)
    for conflict in gpu.bf16_dense_tflops.conflicts if gpu.bf16_dense_tflops else ():
        assert conflict.value != gpu.bf16_dense_tflops.value
        assert conflict.reason.en


@pytest.mark.parametrize("gpu_id", sorted(HALF_RATE_OF_THE_CHIP))
def test_geforce_accumulates_in_fp32_at_half_the_rate(catalog, gpu_id):
    full_id, sms, full_sms = HALF_RATE_OF_THE_CHIP[gpu_id]
    half, full = catalog.gpus[gpu_id], catalog.gpus[full_id]
    per_sm = half.bf16_dense_tflops.value / sms, full.bf16_dense_tflops.value / full_sms
    assert per_sm[0] / per_sm[1] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("gpu_id", GPUS)
def test_usable_memory_is_close_below_the_label(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    share = gpu.usable_mib.off.value / 1024 / gpu.memory_label_gib.value
    assert 0.92 < share <= 1


@pytest.mark.parametrize("gpu_id", GPUS)
def test_the_label_stands_in_no_contradiction_to_the_id_and_the_name(catalog, gpu_id):
    label = f"{catalog.gpus[gpu_id].memory_label_gib.value:g}"
    named = re.search(r"(\d+)GB", catalog.gpus[gpu_id].name)
    assert named is None or named[1] == label


@pytest.mark.parametrize("gpu_id", GPUS)
def test_a_consumer_card_has_no_p2p_over_pcie(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    if gpu.vendor == "NVIDIA" and gpu.segment == "consumer":
        assert gpu.p2p is not None
        assert gpu.p2p.value in {"unsupported", "nvlink-only"}
    if gpu.p2p is not None and gpu.p2p.value == "nvlink-only":
        assert gpu.nvlink.value


@pytest.mark.parametrize("gpu_id", GPUS)
def test_a_price_says_when(catalog, gpu_id):
    gpu = catalog.gpus[gpu_id]
    for price in (gpu.launch_price_usd, gpu.street_price_usd):
        if price is not None:
            assert re.fullmatch(r"20\d\d(-\d\d){0,2}", price.as_of)
    if gpu.launch_price_usd is not None and gpu.street_price_usd is not None:
        assert gpu.launch_price_usd.as_of < gpu.street_price_usd.as_of


def test_two_prices_of_one_box_are_both_kept(catalog):
    spark = catalog.gpus["dgx-spark-gb10"]
    assert (spark.launch_price_usd.value, spark.street_price_usd.value) == (3999, 4699)


def test_conflicts_that_are_known_of_are_kept(catalog):
    def others(gpu_id: str, field: str) -> set[object]:
        return {conflict.value for conflict in getattr(catalog.gpus[gpu_id], field).conflicts}

    assert others("b200", "memory_label_gib") == {192, 90}
    assert others("l40", "bf16_dense_tflops") == {362.07}
    assert others("gaudi3", "bf16_dense_tflops") == {1835}
    assert others("dgx-spark-gb10", "bf16_dense_tflops") == {125, 100}
    assert others("mi325x", "memory_label_gib") == {288}
    assert others("b300", "tdp_w") == {1000, 1400}


def test_cards_without_bf16_are_the_old_ones(catalog):
    assert {gpu_id for gpu_id, gpu in catalog.gpus.items() if not gpu.bf16.value} == {
        "rtx-2080-ti",
        "t4",
        "v100-pcie-32",
        "v100-sxm2-32",
    }


def test_every_platform_is_there(catalog):
    platforms = {gpu.vendor: gpu.platform for gpu in catalog.gpus.values() if gpu.vendor != "Intel"}
    assert platforms == {"NVIDIA": "cuda", "AMD": "rocm"}
    assert {gpu.platform for gpu in catalog.gpus.values() if gpu.vendor == "Intel"} == {"gaudi", "xpu"}
