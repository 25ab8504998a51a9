"""A small valid data/ that tests can break."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

MODEL = "models/qwen3/qwen3-0.6b.yml"
GPU = "gpus/nvidia/rtx-6000-ada.yml"
RIG = "rigs/4x-rtx-6000-ada.yml"

CONSTANTS: Mapping[str, float] = {
    "adam-8bit-state-bytes": 2.03,
    "adapter-time-factor": 0.85,
    "dequantization-share": 0.17,
    "dequantization-share-cautious": 0.1,
    "error-high-full": 0.03,
    "error-high-lora": 0.2,
    "error-high-qlora": 0.2,
    "error-low-full": 0.03,
    "error-low-lora": 0.1,
    "error-low-qlora": 0.1,
    "extra-checkpoint-copies-sharded-adapter": 1,
    "host-bytes-per-parameter": 16,
    "launch-seconds-per-layer": 0.005,
    "link-share-cautious": 0.55,
    "logits-bytes-fused": 8,
    "logits-bytes-stock": 14,
    "overhead-gib-one-gpu": 0.8,
    "overhead-gib-several-gpus": 1.8,
    "quantization-constant-bytes-gptq": 0.0195,
    "quantization-constant-bytes-nf4": 0.0625,
    "quantization-constant-bytes-nf4-dq": 0.0159,
    "zero-bucket-elements": 500000000,
}
"""Every constant that some plan calls for, roughly as in data/constants.yml."""


def _constants() -> str:
    reason = "reason: {ru: Выбрано., en: Chosen.}"
    listed = (f"  {name}: {{value: {value}, unit: x, kind: assumed, {reason}}}\n" for name, value in CONSTANTS.items())
    peak = "    text: {ru: Наибольшая из фаз., en: The largest of the phases.}\n    citations: [{source: zero}]\n"
    return f"constants:\n{''.join(listed)}formulas:\n  peak:\n{peak}"


FILES: Mapping[str, str] = {
    MODEL: """\
        name: Qwen3-0.6B
        family: Qwen3
        vendor: Alibaba (Qwen)
        hugging_face: [Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]
        released: {value: 2025-04-29, source: qwen3-0.6b-card, where: News}
        licence: {value: Apache-2.0, source: qwen3-0.6b-card, as_printed: apache-2.0}
        card: qwen3-0.6b-card
        architecture:
          source: qwen3-0.6b-card
          where: config.json
          layers: 28
          hidden: 1024
          intermediate: 3072
          heads: 16
          kv_heads: 8
          head_dim: 128
          vocab: 151936
          tied_embeddings: true
          qk_norm: per-head
        parameters:
          exact:
            value: 596049920
            kind: computed
            reason: {ru: Сумма по слоям., en: The sum over the layers.}
          stated_billions: {value: 0.6, source: qwen3-0.6b-card, as_printed: 0.6B}
        sources:
          qwen3-0.6b-card:
            title: Qwen3-0.6B
            publisher: Alibaba (Qwen)
            type: model-card
            url: https://huggingface.co/Qwen/Qwen3-0.6B
            read: 2026-12-01
            access: page
            summary: {ru: Карточка модели., en: The card of the model.}
        """,
    GPU: """\
        name: NVIDIA RTX 6000 Ada Generation
        vendor: NVIDIA
        chip_architecture: Ada Lovelace
        aliases: [RTX 6000 Ada]
        misnomers: [RTX A6000 Ada]
        memory_label_gib: {value: 48, source: rtx-6000-ada-datasheet, as_printed: 48GB GDDR6 with ECC}
        memory_type: {value: GDDR6, source: rtx-6000-ada-datasheet, where: p. 2}
        bandwidth_gb_per_s: {value: 960, source: rtx-6000-ada-datasheet, as_printed: 960 GB/s}
        usable_mib:
          "on": {value: 46068, kind: measured, source: rtx-6000-ada-datasheet, where: p. 2}
          "off": {value: 49140, kind: measured, source: rtx-6000-ada-datasheet, where: p. 2}
        framework_visible_gib:
          "on":
            value: 44.4
            kind: assumed
            reason: {ru: Немного меньше показаний драйвера., en: A little below what the driver reports.}
          "off":
            value: 47.4
            kind: assumed
            reason: {ru: Немного меньше показаний драйвера., en: A little below what the driver reports.}
        ecc: {value: inline, source: rtx-6000-ada-datasheet, where: p. 2}
        bf16_dense_tflops: {value: 364.2, source: rtx-6000-ada-datasheet, where: p. 2}
        sustained_tflops:
          kind: assumed
          reason: {ru: Доля от плотной BF16., en: A share of dense BF16.}
          cautious: 73
          expected: 109
          best: 146
        bf16: {value: true, source: rtx-6000-ada-datasheet, where: p. 2}
        nvlink: {value: false, source: rtx-6000-ada-datasheet, where: p. 2}
        p2p: {value: expected, source: rtx-6000-ada-datasheet, where: p. 2}
        pcie: {value: PCIe 4.0 x16, source: rtx-6000-ada-datasheet, where: p. 2}
        tdp_w: {value: 300, source: rtx-6000-ada-datasheet, as_printed: 300 W}
        platform: cuda
        segment: workstation
        """,
    RIG: """\
        name: {ru: 4× RTX 6000 Ada, en: 4× RTX 6000 Ada}
        gpu: rtx-6000-ada
        count: 4
        host_memory_gib:
          value: 256
          kind: assumed
          reason: {ru: Обычно для такой рабочей станции., en: Usual for such a workstation.}
        interconnect:
          p2p:
            value: true
            kind: assumed
            reason: {ru: Профессиональные карты это умеют., en: Professional cards can.}
          bus_gb_per_s:
            value: 20
            kind: assumed
            reason: {ru: PCIe 4.0 x16 с накладными расходами., en: PCIe 4.0 x16 less its overhead.}
        """,
    "methods/full.yml": """\
        order: 1
        name: {ru: Полный файнтюнинг, en: Full fine-tuning}
        short: {ru: Полный, en: Full}
        summary: {ru: Обучаются все веса., en: All weights are trained.}
        trains: all
        goal: fine-tuning
        ladder:
          - id: fsdp2
            name: {ru: FSDP2, en: FSDP2}
            settings: {precision: bf16-mixed, optimizer: adamw, sharding: fsdp2, fused_ce: true}
            summary: {ru: Состояния шардированы., en: States are sharded.}
            citations: [{source: zero}]
        """,
    "methods/qlora.yml": """\
        order: 3
        name: {ru: QLoRA, en: QLoRA}
        short: {ru: QLoRA, en: QLoRA}
        summary: {ru: Адаптеры поверх четырёх бит., en: Adapters over four bits.}
        trains: adapters
        goal: fine-tuning
        ladder:
          - id: nf4
            name: {ru: NF4, en: NF4}
            settings: {precision: bf16-mixed, optimizer: adamw, sharding: ddp, quant: nf4-dq}
            summary: {ru: Копия модели на каждой карте., en: A copy of the model on each card.}
        """,
    "methods/lora.yml": """\
        order: 2
        name: {ru: LoRA, en: LoRA}
        short: {ru: LoRA, en: LoRA}
        summary: {ru: Адаптеры поверх базы., en: Adapters over the base.}
        trains: adapters
        goal: fine-tuning
        ladder:
          - id: lora-ddp
            name: {ru: DDP, en: DDP}
            settings: {precision: bf16-mixed, optimizer: adamw, sharding: ddp}
            summary: {ru: Копия модели на каждой карте., en: A copy of the model on each card.}
        """,
    "methods/pretrain.yml": """\
        order: 4
        name: {ru: Предобучение, en: Pretraining}
        short: {ru: С нуля, en: From scratch}
        summary: {ru: Все веса с нуля., en: All weights from scratch.}
        trains: all
        goal: pretraining
        ladder:
          - id: pretrain-fsdp2
            name: {ru: FSDP2, en: FSDP2}
            settings: {precision: bf16-mixed, optimizer: adamw, sharding: fsdp2, fused_ce: true}
            summary: {ru: Состояния шардированы., en: States are sharded.}
        """,
    "sources/rtx-6000-ada-datasheet.yml": """\
        title: NVIDIA RTX 6000 Ada Generation datasheet
        publisher: NVIDIA
        type: specification
        url: https://www.nvidia.com/en-us/design-visualization/rtx-6000/
        published: 2022-12
        read: 2026-11-30
        access: page
        summary: {ru: Документ производителя., en: The vendor's document.}
        """,
    "sources/zero.yml": """\
        title: 'ZeRO: Memory Optimizations Toward Training Trillion Parameter Models'
        publisher: arXiv
        type: paper
        url: https://arxiv.org/abs/1910.02054
        published: '2019'
        read: 2026-12-01
        access: page
        summary: {ru: Статья о шардировании., en: The paper on sharding.}
        """,
    "stack/shard.yml": """\
        order: 1
        text: {ru: Шардируйте состояния., en: Shard the states.}
        why: {ru: Иначе они не помещаются., en: They do not fit otherwise.}
        methods: [full]
        citations: [{source: zero, where: section 5}]
        """,
    "stack/choices/split.yml": """\
        order: 1
        question: {ru: Как делить?, en: How to split?}
        options:
          - id: copy
            text: {ru: Копия на карту., en: A copy on each card.}
            why: {ru: Она помещается., en: It fits.}
            when: {sharding: [ddp]}
            second: shards
            second_because: {ru: Если не поместится., en: When it does not fit.}
            citations: [{source: zero}]
          - id: shards
            text: {ru: Доля на карту., en: A share on each card.}
            why: {ru: Копия не помещается., en: A copy does not fit.}
            citations: [{source: zero}]
        """,
    "stack/environments/trl.yml": """\
        order: 1
        framework: trl
        name: TRL
        python: '3.11'
        cuda: '13.0'
        packages: {torch: 2.13.0, trl: 1.16.0}
        checked: 2026-12-02
        evidence: metadata
        note: {ru: Проверено по метаданным., en: Checked by metadata.}
        models: {qwen3-0.6b: 0.6B}
        citations: [{source: zero}]
        """,
    "stack/libraries/torch.yml": """\
        name: PyTorch
        status: active
        latest: 2.15.0
        checked: 2026-12-02
        """,
    "policy.yml": """\
        workload:
          seq_len: {value: 4096, reason: {ru: Выбрано., en: Chosen.}}
          micro_batch: {value: 1, reason: {ru: Выбрано., en: Chosen.}}
          grad_accum: {value: 1, reason: {ru: Выбрано., en: Chosen.}}
          lora_rank: {value: 16, reason: {ru: Выбрано., en: Chosen.}}
          lora_targets: all-linear
          ecc: 'on'
          context_variants: [2048, 8192]
          grad_accum_variant: 8
        comfortable_ratio: {value: 0.8, reason: {ru: Выбрано., en: Chosen.}}
        borderline_ratio: {value: 0.93, reason: {ru: Выбрано., en: Chosen.}}
        compromise_ratio: {value: 0.8, reason: {ru: Выбрано., en: Chosen.}}
        link_bound_below: {value: 1, reason: {ru: Выбрано., en: Chosen.}}
        link_note_below: {value: 2, reason: {ru: Выбрано., en: Chosen.}}
        pretrain_tokens_per_parameter: {value: 20, reason: {ru: Выбрано., en: Chosen.}}
        pretrain_comfortable_days: {value: 14, reason: {ru: Выбрано., en: Chosen.}}
        pretrain_borderline_days: {value: 45, reason: {ru: Выбрано., en: Chosen.}}
        finetune_tokens: {value: 1e7, reason: {ru: Выбрано., en: Chosen.}}
        finetune_comfortable_hours: {value: 24, reason: {ru: Выбрано., en: Chosen.}}
        finetune_borderline_hours: {value: 168, reason: {ru: Выбрано., en: Chosen.}}
        size_classes:
          - {id: 4b, name: {ru: ≤4B, en: ≤4B}, below_billions: 5.5}
          - {id: 100b, name: {ru: 100B+, en: 100B+}, below_billions: null}
        pretraining_sizes_billions: [0.5, 1]
        headline_share: {value: 0.9, reason: {ru: Выбрано., en: Chosen.}}
        fresh_days: {value: 365, reason: {ru: Выбрано., en: Chosen.}}
        """,
    "constants.yml": _constants(),
    "permalinks.yml": """\
        models: {}
        """,
    "absent.yml": """\
        models:
          falcon-h1-7b: {name: Falcon-H1-7B, vendor: TII, lacks: dimensions, citations: [{source: zero}]}
        gpus: {}
        """,
    "link-exceptions.yml": """\
        hosts: {www.nvidia.com: {reason: {ru: Закрыто., en: It is closed.}}}
        """,
}
"""Path below data/ → text. A real model, card and document each, with the figures that tests need."""


def tiny_catalog(root: Path) -> Path:
    """Writes the small catalogue to `root`/data and returns that folder."""
    data = root / "data"
    for name, text in FILES.items():
        write(data, name, textwrap.dedent(text))
    return data


def write(data: Path, name: str, text: str) -> Path:
    """Writes one file below `data`."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def edit(data: Path, name: str, old: str, new: str) -> int:
    """Replaces the one place that reads `old`; returns its 1-based line."""
    path = data / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{name} holds {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1
