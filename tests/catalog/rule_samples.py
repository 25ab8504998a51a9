"""Samples of every rule: edits of the small catalogue that break it, and edits that come near and do not."""

from __future__ import annotations

from tests.support import GPU, MODEL, RIG

OTHER = "models/qwen3/other.yml"

BAD: list[tuple[str, str, str, str, str]] = [
    ("says-where", MODEL, ", as_printed: apache-2.0", "",
     ("6:1: licence: expected as_printed or where, found neither"
      " (write the words that the source prints, or the place in it)")),
    ("says-where", GPU, "kind: measured, source: rtx-6000-ada-datasheet, where: p. 2}\n  \"off\"",
     "kind: measured, source: rtx-6000-ada-datasheet}\n  \"off\"",
     ("10:3: usable_mib.on: expected as_printed or where, found neither"
      " (write the words that the source prints, or the place in it)")),
    ("says-where", MODEL, "reason: {ru: Сумма по слоям., en: The sum over the layers.}", "source: zero",
     "21:3: parameters.exact: expected reason or where, found neither (say how it is computed)"),
    ("known-source", MODEL, "as_printed: 0.6B", "where: x, also: [{source: nobody}]",
     ("25:84: parameters.stated_billions.also.0.source: expected the id of a source, found `nobody` (describe it"
      " under `sources:` in this file, or as a file of sources/)")),
    ("known-source", MODEL, "  source: qwen3-0.6b-card\n  where: config.json", "  source: qwen3-0.6b-car",
     ("9:11: architecture.source: expected the id of a source, found `qwen3-0.6b-car` (did you mean"
     " `qwen3-0.6b-card`? Else describe it under `sources:` in this file, or as a file of sources/)")),
    ("known-source", MODEL, "  qwen3-0.6b-card:\n", "  qwen3-0.6b-cart:\n",
     ("5:39: released.source: expected the id of a source, found `qwen3-0.6b-card`, also in lines 6, 7, 9, 25 (did"
      " you mean `qwen3-0.6b-cart`? Else describe it under `sources:` in this file, or as a file of sources/)")),
    ("known-source", MODEL, "card: qwen3-0.6b-card", "card: nobody",
     ("7:7: card: expected the id of a source, found `nobody` (describe it under `sources:` in this file, or as a"
      " file of sources/)")),
    ("source-used", "stack/shard.yml", "{source: zero, where: section 5}", "{source: rtx-6000-ada-datasheet}", ""),
    ("source-used", MODEL, "sources:\n", ("sources:\n  spare:\n    title: x\n    publisher: x\n    type: paper\n"
     "    url: https://example.org\n    read: 2026-12-01\n    access: page\n"),
     "27:3: sources.spare: expected a source that something cites, found no citation (delete it)"),
    ("unread-not-quoted", MODEL, "    read: 2026-12-01\n    access: page", "    access: unread",
     ("5:1: released: expected a source that was read, found `qwen3-0.6b-card`, which is unread (open it and say so"
     " there, or delete the value)")),
    ("known-gpu", RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000",
     "2:6: gpu: expected the id of a GPU, found `rtx-6000` (did you mean `rtx-6000-ada`?)"),
    ("known-home-rig", "policy.yml", "workload:", "home_rig: 4x-rtx-6000\nworkload:",
     "1:11: home_rig: expected the id of a rig, found `4x-rtx-6000` (did you mean `4x-rtx-6000-ada`?)"),
    ("known-family", RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000-ada\nfamilies: [qwen2]",
     "3:12: families.0: expected the id of a family, found `qwen2` (did you mean `qwen3`?)"),
    ("rig-link", GPU, "p2p: {value: expected,", "p2p: {value: unsupported,",
     "10:12: interconnect.p2p.value: expected false, since rtx-6000-ada does not support it; found `true`"),
    ("rig-link", GPU, "nvlink: {value: false, source: rtx-6000-ada-datasheet, where: p. 2}\np2p: {value: expected,",
     "nvlink: {value: true, source: rtx-6000-ada-datasheet, where: p. 2}\np2p: {value: nvlink-only,",
     ("10:12: interconnect.p2p.value: expected false, since rtx-6000-ada does it over an NVLink bridge of 2 alone;"
      " found `true`")),
    ("dense-below-sparse", GPU, "bf16: {value: true,", ("bf16_sparse_tflops: {value: 300, source:"
     " rtx-6000-ada-datasheet}\nbf16: {value: true,"),
     "22:28: bf16_dense_tflops.value: expected at most 300 TFLOPS (bf16_sparse_tflops), found 364.2 TFLOPS"),
    ("sixteen-bit-peak", GPU, "bf16: {value: true,", "bf16: {value: false,",
     "22:1: bf16_dense_tflops: expected none, found one: the card has no bf16 (fp16_dense_tflops)"),
    ("sixteen-bit-peak", GPU, "bf16_dense_tflops:", "fp16_dense_tflops:",
     "29:1: bf16: expected bf16_dense_tflops beside it, found none: the card has bf16"),
    ("nvlink-speed", GPU, "nvlink: {value: false,", ("nvlink_gb_per_s: {value: 100, source: rtx-6000-ada-datasheet}"
     "\nnvlink: {value: false,"), "30:1: nvlink_gb_per_s: expected `nvlink: true` beside it, found none"),
    ("nvlink-speed", GPU, "p2p: {value: expected,", "p2p: {value: nvlink-only,",
     "31:14: p2p.value: expected `nvlink: true` beside it, found `nvlink-only`"),
    ("speed-class", GPU, "  kind: assumed\n  reason: {ru: Доля", ("  speed_class: ada\n  kind: assumed\n"
     "  reason: {ru: Доля"),
     "24:16: sustained_tflops.speed_class: expected the id of a speed class of policy.yml, found `ada`"),
    ("derived-from", MODEL, "card: qwen3-0.6b-card", "card: qwen3-0.6b-card\nderived_from: qwen2",
     "8:15: derived_from: expected the id of a model, found `qwen2`"),
    ("derived-from", MODEL, "card: qwen3-0.6b-card", "card: qwen3-0.6b-card\nderived_from: qwen3-0.6b",
     "8:15: derived_from: expected a model that came before, found a circle"),
    ("permalinks", "permalinks.yml", "models: {}", "models: {qwen3-0.6b: models/qwen3-0.6b/}",
     "1:22: models.qwen3-0.6b: expected an id that is gone, found `qwen3-0.6b`, which exists (delete it)"),
    ("permalinks", "permalinks.yml", "models: {}", "models: {index.html: models/qwen3-0.6b/}",
     ("1:22: models.index.html: expected an id that makes an address, found `index.html`, which looks like a file"
      " (no page was ever there)")),
    ("permalinks", "permalinks.yml", "models: {}", "models: {old: models/qwen3-0.6/}",
     ("1:15: models.old: expected the address of a page, found `models/qwen3-0.6/` (did you mean"
      " `qwen3-0.6b`?)")),
    ("permalinks", "permalinks.yml", "models: {}", "models: {old: models/gone/}",
     "1:15: models.old: expected the address of a page, found `models/gone/`"),
    ("link-exceptions", "link-exceptions.yml", "www.nvidia.com", "www.nvidia.org",
     ("1:9: hosts.www.nvidia.org: expected the server of a source, found `www.nvidia.org` (did you mean"
      " `www.nvidia.com`?)")),
    ("link-exceptions", "link-exceptions.yml", "hosts: {www.nvidia.com:", "sources: {zera:",
     "1:11: sources.zera: expected the id of a source, found `zera` (did you mean `zero`?)"),
    ("unique-names", MODEL, "hugging_face: [Qwen/Qwen3-0.6B,", ("aliases: [qwen/qwen3-0.6b-BASE,"
     " Qwen/qwen3-0.6B-base]\nhugging_face: [Qwen/Qwen3-0.6B,"), ("4:11: aliases.0: expected each name once, found"
     " `qwen/qwen3-0.6b-BASE` again (delete it)")),
    ("kv-heads-divide", MODEL, "kv_heads: 8", "kv_heads: 6",
     "15:13: architecture.kv_heads: expected a divisor of the 16 heads, found 6"),
    ("exact-count", MODEL, "value: 596049920", "value: 596049921",
     ("22:12: parameters.exact.value: expected 596,049,920, as the architecture gives, found 596,049,921 (+1)"
     " (one of the dimensions under `architecture` is wrong, or this number is)")),
    ("stated-count", MODEL, "{value: 0.6, source: qwen3-0.6b-card, as_printed: 0.6B}",
     "{value: 0.7, source: qwen3-0.6b-card}",
     ("25:28: parameters.stated_billions.value: expected about 0.60, as the architecture gives, found 0.7 (say why in"
     " `reason`)")),
    ("memory-order", GPU, "value: 46068,", "value: 49141,",
     "10:17: usable_mib.on.value: expected at most 47.9883 GiB (usable_mib.off), found 47.9893 GiB"),
    ("memory-order", GPU, "value: 44.4\n", "value: 45.0\n",
     "14:12: framework_visible_gib.on.value: expected at most 44.9883 GiB (usable_mib.on), found 45 GiB"),
    ("memory-order", GPU, "value: 48, source", "value: 47, source",
     "11:18: usable_mib.off.value: expected at most 47 GiB (memory_label_gib), found 47.9883 GiB"),
    ("sustained-order", GPU, "cautious: 73", "cautious: 110",
     "26:13: sustained_tflops.cautious: expected at most 109 TFLOPS (sustained_tflops.expected), found 110 TFLOPS"),
    ("sustained-order", GPU, "best: 146", "best: 365",
     "28:9: sustained_tflops.best: expected at most 364.2 TFLOPS (bf16_dense_tflops), found 365 TFLOPS"),
    ("unique-order", "methods/qlora.yml", "order: 3", "order: 1",
     "1:8: order: expected a place of its own, found 1 like `full`"),
    ("unique-recipes", "methods/full.yml", "citations: [{source: zero}]", ("citations: [{source: zero}]\n  - id:"
     " fsdp2\n    name: {ru: Х, en: X}\n    settings: {precision: fp32, optimizer: adamw, sharding: ddp}\n"
     "    summary: {ru: Х, en: X}"), "13:9: ladder.1.id: expected an id of its own, found `fsdp2` again"),
    ("stack-options", "stack/choices/split.yml", "second: shards", "second: shard",
     "8:13: options.0.second: expected another option of the question, found `shard` (did you mean `shards`?)"),
    ("environment-models", "stack/environments/trl.yml", "qwen3-0.6b: 0.6B", "qwen3-0.6: 0.6B",
     "10:21: models.qwen3-0.6: expected the id of a model, found `qwen3-0.6` (did you mean `qwen3-0.6b`?)"),
    ("recipe-runs", "methods/full.yml", "fused_ce: true", "quant: nf4",
     "10:81: ladder.0.settings.quant: expected `none` for method full, found `nf4`"),
    ("recipe-runs", "methods/lora.yml", "sharding: ddp", "sharding: none",
     "10:67: ladder.0.settings.sharding: expected `ddp`, `fsdp1`, `fsdp2` or `zero3` for several GPUs, found `none`"),
    ("method-nature", "methods/lora.yml", "trains: adapters", "trains: all",
     "5:9: trains: expected `adapters` for method lora, found `all`"),
    ("constants-known", "constants.yml", "error-low-full:", "error-lower-full:",
     ("1:1: constants: expected the constant `error-low-full`, found none (did you mean `error-lower-full`?)")),
    ("constants-known", "constants.yml", "error-low-full:", "error-lower-full:",
     ("9:3: constants.error-lower-full: expected a constant that the estimate uses, found `error-lower-full` (did you"
      " mean `error-low-full`?)")),
    ("plausible", GPU, "bf16_dense_tflops: {value: 364.2", "bf16_dense_tflops: {value: 364200",
     ("22:28: bf16_dense_tflops.value: expected from 1 to 20,000 TFLOPS, found 364,200 (the number is in"
     " TFLOPS)")),
    ("plausible", GPU, "memory_label_gib: {value: 48,", "memory_label_gib: {value: 48000,",
     "6:27: memory_label_gib.value: expected from 1 to 1,024 GiB, found 48,000 (the number is in GiB)"),
    ("plausible", "policy.yml", "seq_len: {value: 4096,", "seq_len: {value: 1e12,",
     "2:20: workload.seq_len.value: expected from 16 to 100,000,000 tokens, found 1e+12"),
    ("plausible", "constants.yml", "adapter-time-factor: {value: 0.85", "adapter-time-factor: {value: 0",
     "3:32: constants.adapter-time-factor.value: expected from 0.01 to 100, found 0"),
    ("plausible", MODEL, "layers: 28", "layers: 280000",
     "11:11: architecture.layers: expected from 1 to 2,000 layers, found 280,000"),
    ("framework-sees-most", GPU, "value: 44.4", "value: 4.44",
     "14:12: framework_visible_gib.on.value: expected at least half of 44.9883 GiB (usable_mib.on), found 4.44 GiB"),
    ("rig-id-counts", RIG, "count: 4", "count: 8", "3:8: count: expected 4, as the id says, found 8"),
    ("unique-findings", RIG, "count: 4", ("count: 4\nfindings:\n  - {id: a, text: {ru: Х, en: X}, citations: [{source:"
     " zero}]}\n  - {id: a, text: {ru: Х, en: X}, citations: [{source: zero}]}"),
     "6:10: findings.1.id: expected an id of its own, found `a` again"),
    ("hugging-face-ids", MODEL, "[Qwen/Qwen3-0.6B,", "[Qwen3-0.6B-x,",
     "4:16: hugging_face.0: expected `owner/name`, found `Qwen3-0.6B-x`"),
    ("thresholds", "policy.yml", "compromise_ratio: {value: 0.8,", "compromise_ratio: {value: 0.95,",
     "12:27: compromise_ratio.value: expected at most borderline_ratio (0.93), found 0.95"),
    ("read-in-time", "sources/zero.yml", "read: 2026-12-01", "read: 2999-12-01",
     "6:7: read: expected a day within 366 days of 2026-12-01, found 2999-12-01 (is the year right?)"),
    ("permalinks", "permalinks.yml", "models: {}", "models: {old: nowhere/}",
     "1:15: models.old: expected the address of a page, found `nowhere/`"),
    ("thresholds", "policy.yml", "comfortable_ratio: {value: 0.8,", "comfortable_ratio: {value: 0.93,",
     "10:28: comfortable_ratio.value: expected less than borderline_ratio (0.93), found 0.93"),
    ("thresholds", "policy.yml", "borderline_ratio: {value: 0.93,", "borderline_ratio: {value: 1.1,",
     "11:27: borderline_ratio.value: expected a share of at most 1, found 1.1"),
    ("thresholds", "policy.yml", "finetune_comfortable_hours: {value: 24,", "finetune_comfortable_hours: {value: 200,",
     "19:37: finetune_comfortable_hours.value: expected less than finetune_borderline_hours (168), found 200"),
    ("whole-numbers", "policy.yml", "seq_len: {value: 4096,", "seq_len: {value: 4096.5,",
     "2:20: workload.seq_len.value: expected a whole number, found 4096.5"),
    ("size-classes", "policy.yml", "below_billions: null", "below_billions: 200",
     "23:62: size_classes.1.below_billions: expected nothing, since the last class is open; found 200.0"),
    ("size-classes", "policy.yml", "below_billions: 5.5", "below_billions: null",
     "22:56: size_classes.0.below_billions: expected a number: only the last class is open; found nothing"),
    ("size-classes", "policy.yml", "  - {id: 100b, name: {ru: 100B+, en: 100B+},", ("  - {id: 4b, name: {ru: Х, en: X},"
     " below_billions: 5}\n  - {id: 100b, name: {ru: 100B+, en: 100B+},"),
     "23:52: size_classes.1.below_billions: expected more than 5.5, found 5"),
    ("ascending-lists", "policy.yml", "[2048, 8192]", "[8192, 2048]",
     "8:28: workload.context_variants.1: expected more than 8192, found 2048"),
    ("source-summary", "sources/zero.yml", "summary: {ru: Статья о шардировании., en: The paper on sharding.}", "",
     ("1:1: expected a summary in both languages that says what the source gives, found none (write `summary:"
      " {ru: …, en: …}`)")),
    ("read-after-published", "sources/zero.yml", "published: '2019'", "published: 2026-12-02",
     "6:7: read: expected a day from 2026-12-02 on, found 2026-12-01"),
    ("fresh", "sources/zero.yml", "read: 2026-12-01", "read: 2025-11-30",
     "6:7: read: expected a day within 365 days of 2026-12-01, found 2025-11-30 (read it again)"),
    ("one-source-per-document", "sources/zero.yml", "https://arxiv.org/abs/1910.02054",
     "https://huggingface.co/Qwen/Qwen3-0.6B",
     "4:6: url: expected a document of its own, found the address of `qwen3-0.6b-card`"),
    ("as-printed", GPU, "as_printed: 960 GB/s", "as_printed: 864 GB/s",
     ("8:78: bandwidth_gb_per_s.as_printed: expected the value 960 as printed, found `864 GB/s` (correct the one or"
      " the other; a value worked out from what is printed is `kind: computed`)")),
    ("as-printed", GPU, "as_printed: 960 GB/s", "as_printed: '96,0 GB/s'",
     ("8:78: bandwidth_gb_per_s.as_printed: expected the value 960 as printed, found `96,0 GB/s` (correct the one or"
      " the other; a value worked out from what is printed is `kind: computed`)")),
    ("as-printed", GPU, "{value: 46068, kind: measured, source: rtx-6000-ada-datasheet, where: p. 2}",
     "{value: 47068, kind: measured, source: rtx-6000-ada-datasheet, as_printed: 46068MiB}",
     ("10:84: usable_mib.on.as_printed: expected the value 47068 as printed, found `46068MiB` (correct the one or the"
      " other; a value worked out from what is printed is `kind: computed`)")),
    ("as-printed", MODEL, "card: qwen3-0.6b-card",
     "context_tokens: {value: 3276800, source: qwen3-0.6b-card, as_printed: '32,768'}\ncard: qwen3-0.6b-card",
     ("7:71: context_tokens.as_printed: expected the value 3276800 as printed, found `32,768` (correct the one or the"
      " other; a value worked out from what is printed is `kind: computed`)")),
    ("date-as-printed", MODEL, "{value: 2025-04-29, source: qwen3-0.6b-card, where: News}",
     "{value: 2025-04-29, source: qwen3-0.6b-card, as_printed: Released in May 2025}",
     ("5:68: released.as_printed: expected the date 2025-04-29 as printed, found `Released in May 2025` (correct the"
      " one or the other)")),
    ("released-before-read", MODEL, "value: 2025-04-29", "value: 2031-04-29",
     ("5:19: released.value: expected a time up to 2026-12-01, when `qwen3-0.6b-card` was read, found 2031-04-29"
      " (what is only announced is left out)")),
    ("licence-spelling", MODEL, "value: Apache-2.0", "value: Apache License 2.0",
     "6:18: licence.value: expected `Apache-2.0`, as SPDX spells it, found `Apache License 2.0`"),
    ("licence-spelling", MODEL, "value: Apache-2.0", "value: Gemma",
     ("6:18: licence.value: expected an SPDX identifier such as `MIT`, found `Gemma` (write out the name of a licence"
      " that SPDX does not list, such as `Llama 3.1 Community License`)")),
    ("licence-spelling", "sources/zero.yml", "read: 2026-12-01", "read: 2026-12-01\nlicence: mit",
     "7:10: licence: expected `MIT`, as SPDX spells it, found `mit`"),
    ("licence-as-printed", MODEL, "value: Apache-2.0", "value: MIT",
     ("6:60: licence.as_printed: expected the licence MIT as printed, found `apache-2.0` (correct the one or the"
      " other)")),
    ("finished-text", "stack/shard.yml", "en: Shard the states.", "en: tbd <script>",
     "2:39: text.en: expected a text that is finished, found `tbd`"),
    ("finished-text", "stack/shard.yml", "en: Shard the states.", "en: tbd <script>",
     "2:39: text.en: expected plain text, found `<script>`"),
    ("translated", GPU, "ru: Доля от плотной BF16.", "ru: Measured",
     "25:16: sustained_tflops.reason.ru: expected Russian text, found no Cyrillic letter"),
    ("translated", GPU, "ru: Доля от плотной BF16.", "ru: A share of the dense peak that и nobody says so",
     "25:16: sustained_tflops.reason.ru: expected Russian text, found 36 Latin letters and 1 Cyrillic"),
    ("translated", GPU, "en: A share of dense BF16.", "en: '2026'",
     "25:43: sustained_tflops.reason.en: expected English text, found `2026`"),
    ("still-absent", "absent.yml", "name: Falcon-H1-7B", "name: qwen3-0.6B",
     ("2:3: models.falcon-h1-7b: expected a name that nothing in data/ has, found that"
      " of `qwen3-0.6b` (delete the line)")),
    ("still-absent", "absent.yml", "models:\n", ("models:\n  other: {name: Falcon-H1-7b, vendor: TII, lacks: layers,"
     " citations: [{source: zero}]}\n"),
     ("3:24: models.falcon-h1-7b.name: expected a name of its own, found that of `other`"
      " (delete one of the two lines)")),
    ("still-absent", "absent.yml", "gpus: {}", ("gpus: {rtx-6000-ada: {name: X, vendor: NVIDIA, lacks: speed,"
     " citations: [{source: zero}]}}"),
     ("3:8: gpus.rtx-6000-ada: expected a name that nothing in data/ has, found that"
      " of `rtx-6000-ada` (delete the line)")),
    ("placeholders", "stack/shard.yml", "Шардируйте состояния.", "'Шардируйте {count} состояний.'",
     "2:49: text.en: expected the placeholders of `ru` (count), found none"),
    ("placeholders", "stack/shard.yml", "en: Shard the states.", 'en: "Shard {0.__class__}."',
     "2:39: text.en: expected placeholders like `{name}`, found a brace that is none (write `{{` and `}}` for braces)"),
    ("translated", "stack/shard.yml", "en: Shard the states.", "en: Шард.",
     "2:39: text.en: expected English text, found Cyrillic letters"),
    ("translated", "stack/shard.yml", "ru: Шардируйте состояния.", "ru: Shard all the states.",
     "2:12: text.ru: expected Russian text, found no Cyrillic letter"),
    ("known-source", "stack/shard.yml", "{source: zero, where: section 5}", "{source: zerro, where: section 5}",
     ("5:22: citations.0.source: expected the id of a source, found `zerro` (did you mean `zero`? Else"
     " describe it under `sources:` in this file, or as a file of sources/)")),
    ("method-nature", "methods/pretrain.yml", "goal: pretraining", "goal: fine-tuning",
     "6:7: goal: expected `pretraining` for method pretrain, found `fine-tuning`"),
    ("recipe-runs", "methods/qlora.yml", ", quant: nf4-dq", "",
     "10:5: ladder.0.settings.quant: expected `nf4` or `nf4-dq` for method qlora, found `none`"),
    ("recipe-runs", "methods/lora.yml", "sharding: ddp", "sharding: zero3, cpu_offload: optimizer",
     "10:87: ladder.0.settings.cpu_offload: expected `none` for method lora, found `optimizer`"),
    ("memory-order", GPU, "value: 47.4\n", "value: 48.0\n",
     "18:12: framework_visible_gib.off.value: expected at most 47.9883 GiB (usable_mib.off), found 48 GiB"),
    ("sixteen-bit-peak", GPU, "bf16_dense_tflops: {value: 364.2, source: rtx-6000-ada-datasheet, where: p. 2}\n", "",
     "28:1: bf16: expected bf16_dense_tflops beside it, found none: the card has bf16"),
    ("stack-options", "stack/choices/split.yml", "- id: shards", "- id: copy",
     "11:9: options.1.id: expected an id of its own, found `copy` again"),
    ("stack-options", "stack/choices/split.yml", "why: {ru: Копия не помещается., en: A copy does not fit.}",
     "why: {ru: Копия не помещается., en: A copy does not fit.}\n    when: {sharding: [fsdp2]}",
     ("14:5: options.1.when: expected an option without conditions as the last one, found conditions (every run needs"
      " an answer)")),
    ("unique-names", RIG, "name: {ru: 4× RTX 6000 Ada,", "aliases: [A]\nname: {ru: a,",
     "1:11: aliases.0: expected each name once, found `A` again (delete it)"),
    ("thresholds", "policy.yml", "compromise_ratio: {value: 0.8,", "compromise_ratio: {value: 1.2,",
     "12:27: compromise_ratio.value: expected a share of at most 1, found 1.2"),
    ("size-classes", "policy.yml", "{id: 100b,", "{id: 4b,",
     "23:10: size_classes.1.id: expected an id of its own, found `4b` again"),
    ("ascending-lists", "policy.yml", "pretraining_sizes_billions: [0.5, 1]", "pretraining_sizes_billions: [0.5, 0.5]",
     "24:35: pretraining_sizes_billions.1: expected more than 0.5, found 0.5"),
]  # fmt: skip
"""Rule, file, what stands there, what is put in its place, and the whole message with its hint; empty: none of it."""

Edit = tuple[str, str, str]
REASON = "reason: {ru: Выбрано., en: Chosen.}"
SECOND_MODEL: tuple[Edit, ...] = (
    (MODEL, "", OTHER),
    (OTHER, "name: Qwen3-0.6B", "name: Other"),
    (OTHER, "[Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]", "[]"),
    (OTHER, "qwen3-0.6b-card", "other-card"),
    (OTHER, "https://huggingface.co/Qwen/Qwen3-0.6B", "https://huggingface.co/Qwen/Other"),
)
"""A copy of the model under another name, with a source of its own."""

GOOD: dict[str, tuple[Edit, ...]] = {
    "says-where": (
        (MODEL, ", as_printed: apache-2.0", ", where: head of the card"),
        (MODEL, "reason: {ru: Сумма по слоям., en: The sum over the layers.}", "source: zero\n    where: sum of all"),
        (MODEL, "{value: 2025-04-29, source: qwen3-0.6b-card, where: News}",
         "{value: 2025-04-29, source: qwen3-0.6b-card, as_printed: 2025-04-29}"),
    ),
    "constants-known": (("constants.yml", "error-low-full: {value: 0.03", "error-low-full: {value: 0.04"),),
    "method-nature": (("methods/lora.yml", "trains: adapters", "trains:   adapters"),),
    "recipe-runs": (("methods/lora.yml", "sharding: ddp", "sharding: zero3"),),
    "memory-order": ((GPU, "value: 46068,", "value: 49140,"),),
    "sustained-order": ((GPU, "cautious: 73", "cautious: 109"),),
    "dense-below-sparse": (
        (GPU, "bf16: {value: true,", ("bf16_sparse_tflops: {value: 364.2, source: rtx-6000-ada-datasheet, where: x}\n"
                                       "bf16: {value: true,")),
    ),
    "sixteen-bit-peak": (
        (GPU, "bf16: {value: true,", "bf16: {value: false,"), (GPU, "bf16_dense_tflops:", "fp16_dense_tflops:"),
    ),
    "nvlink-speed": (
        (GPU, "nvlink: {value: false,", ("nvlink_gb_per_s: {value: 100, source: rtx-6000-ada-datasheet, where: p. 2}\n"
                                          "nvlink: {value: true,")),
    ),
    "speed-class": (
        ("policy.yml", "size_classes:", ("speed_classes:\n  - {id: ada, name: {ru: Ада, en: Ada}, cautious: 0.2,"
         " expected: 0.3, best: 0.4, reason: {ru: Измерено., en: Measured.}, citations: [{source: zero}]}\n"
         "size_classes:")),
        (GPU, "sustained_tflops:\n", "sustained_tflops:\n  speed_class: ada\n"),
    ),
    "unique-order": (("methods/qlora.yml", "order: 3", "order: 7"),),
    "unique-recipes": (
        ("methods/full.yml", "citations: [{source: zero}]", ("citations: [{source: zero}]\n  - id: other\n"
         "    name: {ru: Х, en: X}\n    settings: {precision: fp32, optimizer: adamw, sharding: ddp}\n"
         "    summary: {ru: Х, en: X}")),
    ),
    "stack-options": (("stack/choices/split.yml", "when: {sharding: [ddp]}", "when: {sharding: [ddp, fsdp2]}"),),
    "environment-models": (("stack/environments/trl.yml", "models: {qwen3-0.6b: 0.6B}", "models: {}"),),
    "kv-heads-divide": (
        (MODEL, "kv_heads: 8", "kv_heads: 16"), (MODEL, "value: 596049920", "value: 654770176"),
        (MODEL, "0.6, source: qwen3-0.6b-card, as_printed: 0.6B", "0.65, source: qwen3-0.6b-card, where: x"),
    ),
    "exact-count": (
        (MODEL, "tied_embeddings: true", "tied_embeddings: false"), (MODEL, "value: 596049920", "value: 751632384"),
        (MODEL, "0.6, source: qwen3-0.6b-card, as_printed: 0.6B", "0.75, source: qwen3-0.6b-card, where: x"),
    ),
    "stated-count": (
        (MODEL, "0.6, source: qwen3-0.6b-card, as_printed: 0.6B", "0.62, source: qwen3-0.6b-card, where: x"),
    ),
    "unique-ids": SECOND_MODEL,
    "unique-names": ((MODEL, "hugging_face: [", "aliases: [Qwen 3 0.6B]\nhugging_face: ["),),
    "one-family-per-folder": (*SECOND_MODEL, (OTHER, "vendor: Alibaba (Qwen)", "vendor: Somebody")),
    "one-vendor-per-folder": (
        (GPU, "", "gpus/nvidia/rtx-5000.yml"), ("gpus/nvidia/rtx-5000.yml", "RTX 6000 Ada", "RTX 5000 Ada"),
        ("gpus/nvidia/rtx-5000.yml", "RTX A6000 Ada", "RTX A5000 Ada"),
    ),
    "plausible": ((GPU, "value: 960, source: rtx-6000-ada-datasheet, as_printed: 960 GB/s",
                   "value: 100000, source: rtx-6000-ada-datasheet, where: x"),),
    "framework-sees-most": ((GPU, "value: 44.4\n", "value: 22.5\n"),),
    "rig-id-counts": (
        (RIG, "", "rigs/2x-rtx-6000-ada.yml"), ("rigs/2x-rtx-6000-ada.yml", "count: 4", "count: 2"),
        ("rigs/2x-rtx-6000-ada.yml", "4×", "2×"),
    ),
    "unique-findings": (
        (RIG, "count: 4", ("count: 4\nfindings:\n  - {id: a, text: {ru: Х, en: X}, citations: [{source: zero}]}\n"
                           "  - {id: b, text: {ru: Х, en: X}, citations: [{source: zero}]}")),
    ),
    "hugging-face-ids": ((MODEL, "[Qwen/Qwen3-0.6B,", "[Qwen.ai/Qwen3_0.6B-x,"),),
    "thresholds": (("policy.yml", "compromise_ratio: {value: 0.8,", "compromise_ratio: {value: 0.93,"),),
    "whole-numbers": (("policy.yml", "seq_len: {value: 4096,", "seq_len: {value: 4096.0,"),),
    "size-classes": (
        ("policy.yml", "  - {id: 100b,", "  - {id: 8b, name: {ru: 8B, en: 8B}, below_billions: 9}\n  - {id: 100b,"),
    ),
    "ascending-lists": (("policy.yml", "[2048, 8192]", "[2048, 2049]"),),
    "source-summary": (("sources/zero.yml", "en: The paper on sharding.", "en: The paper."),),
    "read-after-published": (("sources/zero.yml", "published: '2019'", "published: 2026-12-01"),),
    "read-in-time": (("sources/zero.yml", "read: 2026-12-01", "read: 2027-11-30"),),
    "fresh": (("sources/zero.yml", "read: 2026-12-01", "read: 2025-12-01"),),
    "one-source-per-document": (
        ("sources/zero.yml", "https://arxiv.org/abs/1910.02054",
         "https://huggingface.co/Qwen/Qwen3-0.6B\nrevision: v2"),
    ),
    "as-printed": (
        (GPU, "as_printed: 960 GB/s", "as_printed: '384 bit, 0.96 TByte/s'"),
    ),
    "date-as-printed": (
        (MODEL, "{value: 2025-04-29, source: qwen3-0.6b-card, where: News}",
         "{value: 2025-04-29, source: qwen3-0.6b-card, as_printed: Apr. 2025}"),
    ),
    "released-before-read": ((MODEL, "value: 2025-04-29", "value: 2026-12"),),
    "licence-spelling": (
        (MODEL, "{value: Apache-2.0, source: qwen3-0.6b-card, as_printed: apache-2.0}",
         "{value: Modified MIT, source: qwen3-0.6b-card, as_printed: modified-mit}"),
    ),
    "licence-as-printed": ((MODEL, "as_printed: apache-2.0", "as_printed: 'License: Apache 2.0'"),),
    "finished-text": (("stack/shard.yml", "en: Shard the states.", "en: 'At p < 0.05, to do: shard the states.'"),),
    "known-source": ((MODEL, "as_printed: 0.6B}", "as_printed: 0.6B, also: [{source: zero}]}"),),
    "source-used": (("stack/shard.yml", "{source: zero, where: section 5}", "{source: rtx-6000-ada-datasheet}"),),
    "unread-not-quoted": (
        (MODEL, "as_printed: 0.6B}", ("as_printed: 0.6B, conflicts: [{source: spare, value: 0.5, where: x, reason:"
         " {ru: \"\u0420\u0430\u043d\u044c\u0448\u0435.\", en: Earlier.}}]}")),
        (MODEL, "sources:\n", ("sources:\n  spare:\n    title: x\n    publisher: x\n    type: paper\n"
         "    url: https://example.org\n    access: unread\n    summary: {ru: \"\u0420\u0430\u0437.\", en: One.}\n")),
    ),
    "known-gpu": (
        (GPU, "", "gpus/nvidia/rtx-5000.yml"), ("gpus/nvidia/rtx-5000.yml", "RTX 6000 Ada", "RTX 5000 Ada"),
        ("gpus/nvidia/rtx-5000.yml", "RTX A6000 Ada", "RTX A5000 Ada"),
        (RIG, "gpu: rtx-6000-ada", "gpu: rtx-5000"),
    ),
    "known-home-rig": (("policy.yml", "workload:", "home_rig: 4x-rtx-6000-ada\nworkload:"),),
    "known-family": ((RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000-ada\nfamilies: [qwen3]"),),
    "rig-link": (
        (GPU, "p2p: {value: expected,", "p2p: {value: unsupported,"), (RIG, "value: true\n", "value: false\n"),
    ),
    "derived-from": (*SECOND_MODEL, (OTHER, "card: other-card", "card: other-card\nderived_from: qwen3-0.6b")),
    "permalinks": (("permalinks.yml", "models: {}", "models: {old: models/qwen3-0.6b/}"),),
    "still-absent": (("absent.yml", "lacks: dimensions", "lacks: layers"),),
    "link-exceptions": (
        ("link-exceptions.yml", "hosts: {www.nvidia.com:", "sources: {zero:"),
    ),
    "placeholders": (
        ("stack/shard.yml", "Шардируйте состояния.", "'Шардируйте {count} состояний.'"),
        ("stack/shard.yml", "en: Shard the states.", "en: 'Shard {count} states.'"),
    ),
    "translated": (("stack/shard.yml", "ru: Шардируйте состояния.", "ru: 'FSDP2, ZeRO'"),),
}  # fmt: skip
"""Rule → edits that keep it, each near what would break it: file, every place that reads so, what comes there instead.

Where nothing is to be replaced, the third part is the name of a copy.
"""
