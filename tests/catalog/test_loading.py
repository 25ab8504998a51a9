from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.catalog import load_catalog
from generator.errors import CatalogErrors
from tests.support import FILES, GPU, MODEL, RIG, edit, tiny_catalog, write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path)


def problems(data: Path) -> list[str]:
    with pytest.raises(CatalogErrors) as caught:
        load_catalog(data)
    assert str(caught.value).splitlines() == [str(error) for error in caught.value.errors]
    return [str(error) for error in caught.value.errors]


def test_the_small_catalogue_is_valid(data: Path) -> None:
    assert load_catalog(data).warnings == ()


def test_all_errors_of_all_files_at_once(data: Path) -> None:
    edit(data, MODEL, "  layers: 28\n", "  layer: 28\n")
    edit(data, MODEL, "  heads: 16\n", "  heads: 16\n  heads: 32\n")
    edit(
        data,
        MODEL,
        "released: {value: 2025-04-29, source: qwen3-0.6b-card, where: News}",
        "released: {value: 2025-04-29}",
    )
    edit(data, GPU, "value: 960,", "value: 960 GB/s,")
    edit(data, GPU, "tdp_w: {value: 300,", "tdp_w: {value: -300,")
    edit(data, RIG, "en: Usual for such a workstation.", "fr: Habituel.")
    edit(data, "sources/zero.yml", "https://arxiv.org/abs/1910.02054", "javascript:alert(1)")
    edit(data, "methods/full.yml", "sharding: fsdp2", "sharding: fsdp")
    write(data, "stack/shard.yml", "order: 1\n\ttext: x\n")
    unitless = "write a plain number without unit, quotes or separators"
    shardings = "`none`, `ddp`, `zero3`, `fsdp1`, `fsdp2`"
    model, gpu, rig = f"data/{MODEL}", f"data/{GPU}", f"data/{RIG}"
    assert problems(data) == [
        f"{gpu}:8:29: bandwidth_gb_per_s.value: expected a number, found text `960 GB/s` ({unitless})",
        f"{gpu}:33:16: tdp_w.value: expected a number above 0, found number `-300`",
        (
            f"data/methods/full.yml:10:67: ladder.0.settings.sharding: expected one of {shardings}, found text `fsdp`"
            " (did you mean `fsdp2`?)"
        ),
        (
            f"{model}:5:1: released: expected a source, found none: a stated value says where it was read (write"
            " `source:` with a key of `sources:` in this file, or the name of a file of data/sources/)"
        ),
        (
            f"{model}:11:3: architecture.layer: expected a field that exists; found unknown key `layer` (did you mean"
            " `layers`?)"
        ),
        f"{model}:15:3: architecture.heads: expected each key once, found `heads` again (first on line 14)",
        (
            f"{rig}:7:3: host_memory_gib.reason.en: expected text, found nothing (readers get both languages;"
            ' `"?? a translation"` asks somebody else for it)'
        ),
        f"{rig}:7:51: host_memory_gib.reason.fr: expected one of `ru`, `en`; found unknown key `fr`",
        (
            "data/sources/zero.yml:4:6: url: expected an https:// address without spaces, quotes or user names, found"
            " text `javascript:alert(1)`"
        ),
        "data/stack/shard.yml:2:1: expected spaces, found a tab (indent with spaces)",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (MODEL, "tied_embeddings: true", "tied_embeddings: yes", ("18:20: architecture.tied_embeddings: expected true"
         " or false, found text `yes` (write `true` or `false`)")),
        (MODEL, "vocab: 151936", "vocab: 151936.0", ("17:10: architecture.vocab: expected a whole number, found number"
         " `151936.0` (write out the whole number)")),
        (MODEL, "vocab: 151936", "vocab: 151_936", ("17:10: architecture.vocab: expected a whole number, found text"
         " `151_936` (write `151936`: a plain number without unit, quotes or separators)")),
        (MODEL, "vocab: 151936", "vocab: 42:12:16", ("17:10: architecture.vocab: expected a whole number, found text"
         " `42:12:16` (write a plain number without unit, quotes or separators)")),
        (MODEL, "vocab: 151936", "vocab:", "17:3: architecture.vocab: expected a whole number, found nothing"),
        (MODEL, "vocab: 151936", "vocab: [1]", ("17:3: architecture.vocab: expected a whole number, found a list"
         " (write it without brackets and dashes)")),
        (MODEL, "value: 2025-04-29", "value: 2025-13-29", ("5:19: released.value: expected a date as YYYY, YYYY-MM or"
         " YYYY-MM-DD, found text `2025-13-29` (such as 2026-12-31)")),
        (MODEL, "read: 2026-12-01", "read: 2026-02-30", ("32:11: sources.qwen3-0.6b-card.read: expected a date as"
         " YYYY-MM-DD that the calendar has, found text `2026-02-30`")),
        (MODEL, "read: 2026-12-01", "read: 2026", ("32:11: sources.qwen3-0.6b-card.read: expected a date as YYYY-MM-DD,"
         " found number `2026` (such as 2026-12-31)")),
        (MODEL, "as_printed: 0.6B", "as_printed: 0.6", ("25:70: parameters.stated_billions.as_printed: expected text,"
         " found number `0.6` (put it in quotes to make it text)")),
        (MODEL, "hugging_face: [Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]", "hugging_face: Qwen/Qwen3-0.6B",
         "4:15: hugging_face: expected a list, found text `Qwen/Qwen3-0.6B` (write `[Qwen/Qwen3-0.6B]`)"),
        (MODEL, "value: 596049920", "value: 596049920\n    unit: parameters", ("23:5: parameters.exact.unit: expected"
         " one of `value`, `kind`, `source`, `as_printed`, `where`, `read`, `reason`, `also`, `conflicts`; found"
         " unknown key `unit`")),
        (MODEL, "stated_billions: {value: 0.6, source: qwen3-0.6b-card, as_printed: 0.6B}", "stated_billions: 0.6",
         ("25:20: parameters.stated_billions: expected a cited value, found number `0.6` (write `{value: 0.6, source:"
         " …}`)")),
        (MODEL, "  source: qwen3-0.6b-card\n  where: config.json\n", "  where: config.json\n", ("8:1: architecture:"
         " expected a source, found none: a stated value says where it was read (write `source:` with a key of"
         " `sources:` in this file, or the name of a file of data/sources/)")),
        (MODEL, "  source: qwen3-0.6b-card\n  where: config.json\n", "  source: Qwen Card\n  where: config.json\n",
         ("9:11: architecture.source: expected an id of lower-case ASCII letters and digits joined by `-` or `.`, found"
         " text `Qwen Card` (write `qwen-card`)")),
        (MODEL, "name: Qwen3-0.6B\n", "name: ' Qwen3'\n", ("1:7: name: expected one line of text without blanks at its"
         " ends, found text `Qwen3` (take away the blanks at its ends)")),
        (MODEL, "type: model-card", "type: model-cards", ("30:11: sources.qwen3-0.6b-card.type: expected one of"
         " `specification`, `model-card`, `paper`, `documentation`, `code`, `dataset`, `measurement`, `discussion`,"
         " `article`, found text `model-cards` (did you mean `model-card`?)")),
        (MODEL, "url: https://huggingface.co/Qwen/Qwen3-0.6B", "url: https://user:pw@huggingface.co/x", ("31:10:"
         " sources.qwen3-0.6b-card.url: expected an https:// address without spaces, quotes or user names, found text"
         " `https://user:pw@huggingface.co/x`")),
        (RIG, "count: 4", "count: 0", "3:8: count: expected a number above 0, found number `0`"),
        (RIG, "gpu: rtx-6000-ada", "gpu: ../rtx", ("2:6: gpu: expected an id of lower-case ASCII letters and digits"
         " joined by `-` or `.`, found text `../rtx`")),
        (RIG, ("  value: 256\n  kind: assumed\n  reason: {ru: Обычно для такой рабочей станции., en: Usual for such a"
         " workstation.}\n"), "  value: 256\n  kind: assumed\n", ("4:1: host_memory_gib: expected a reason in both"
         " languages, found none: an assumed value says why")),
        ("stack/shard.yml", "citations: [{source: zero, where: section 5}]", "citations: []", ("5:1: citations:"
         " expected at least 1 item, found an empty list")),
        ("stack/shard.yml", "where: section 5}", "where: 5, p. 3}", ("5:35: citations.0.where: expected text, found"
         " number `5` (put it in quotes to make it text)")),
        ("constants.yml", "error-low-full:", "Error_Low:", ("9:3: constants.Error_Low: expected an id of lower-case"
         " ASCII letters and digits joined by `-` or `.`, found text `Error_Low` (write `error-low`)")),
        (RIG, "gpu: rtx-6000-ada", "gpu: RTX 6000 Ada", ("2:6: gpu: expected an id of lower-case ASCII letters and"
         " digits joined by `-` or `.`, found text `RTX 6000 Ada` (write `rtx-6000-ada`)")),
        (RIG, "gpu: rtx-6000-ada", "gpu: '<b>'", ("2:6: gpu: expected an id of lower-case ASCII letters and digits"
         " joined by `-` or `.`, found text `<b>`")),
        (MODEL, "  heads: 16\n", "  heads: 16\n  model_type: qwen33\n", ("15:15: architecture.model_type: expected the"
         " model_type of a class that is counted, found `qwen33` (did you mean `qwen3`?)")),
        (MODEL, "card: qwen3-0.6b-card", "card: qwen3-0.6b-card\nhidden: 1024", ("8:1: hidden: expected a field that"
         " belongs here; found unknown key `hidden` (`hidden` stands under `architecture`: check the indentation)")),
        (MODEL, "  heads: 16\n", "  heads: 16\n  card: x\n", ("15:3: architecture.card: expected a field that belongs"
         " here; found unknown key `card` (`card` stands at the beginning of a line, under no other key: check the"
         " indentation)")),
        (MODEL, "{value: 0.6, source: qwen3-0.6b-card,", "{value:0.6, source: qwen3-0.6b-card,", ("25:21:"
         " parameters.stated_billions.value:0.6: expected a field that exists; found unknown key `value:0.6` (did you"
         " mean `value`?)")),
        (MODEL, "value: 2025-04-29", "value: 29.04.2025", ("5:19: released.value: expected a date as YYYY, YYYY-MM or"
         " YYYY-MM-DD, found text `29.04.2025` (write `2025-04-29`)")),
        (MODEL, "read: 2026-12-01", "read: 2026/12/1", ("32:11: sources.qwen3-0.6b-card.read: expected a date as"
         " YYYY-MM-DD, found text `2026/12/1` (write `2026-12-01`)")),
        (MODEL, "    access: page", "    access: unread", ("32:11: sources.qwen3-0.6b-card.read: expected no day of"
         " reading beside `access: unread`, found `2026-12-01` (where nobody opened it, delete this line and quote"
         " nothing from it; else write `access: page` or `copy`)")),
        (MODEL, "    read: 2026-12-01\n", "", ("27:3: sources.qwen3-0.6b-card.read: expected the day on which it was"
         " read, since access is `page`, found nothing (write `read: YYYY-MM-DD`, or `access: unread` where nobody"
         " opened it)")),
        (MODEL, "    access: page", "    access: page\n    seen_at: https://example.org/copy", ("34:14:"
         " sources.qwen3-0.6b-card.seen_at: expected no address of a copy beside `access: page`, found one (write"
         " `access: copy`, or delete this line)")),
        (MODEL, "name: Qwen3-0.6B\n", "name: {value: Qwen3}\n", ("1:1: name: expected text, found a mapping (write the"
         " value alone)")),
        (MODEL, "hugging_face: [Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]", "hugging_face:\n  -Qwen/Qwen3-0.6B",
         "5:3: hugging_face: expected a list, found text `-Qwen/Qwen3-0.6B` (put a space after each `-`)"),
        (RIG, "name: {ru: 4× RTX 6000 Ada, en: 4× RTX 6000 Ada}", "name:\n  ru:x", ("2:3: name: expected texts `ru` and"
         " `en`, found text `ru:x` (a space after the colon: write `ru: x`)")),
        (MODEL, "value: 0.6,", "value: '0,6',", ("25:28: parameters.stated_billions.value: expected a number, found"
         " text `0,6` (write `0.6`: a plain number without unit, quotes or separators)")),
        (MODEL, "value: 596049920", "value: 596 049 920", ("22:12: parameters.exact.value: expected a whole number,"
         " found text `596 049 920` (write `596049920`: a plain number without unit, quotes or separators)")),
        (MODEL, "value: 596049920", "value: 0.6B", ("22:12: parameters.exact.value: expected a whole number, found text"
         " `0.6B` (write a plain number without unit, quotes or separators)")),
        (MODEL, "value: 0.6,", "value: n/a,", ("25:28: parameters.stated_billions.value: expected a number, found text"
         " `n/a` (where nobody says it, delete the field)")),
        (MODEL, "value: 2025-04-29", "value: 04/29/2025", ("5:19: released.value: expected a date as YYYY, YYYY-MM or"
         " YYYY-MM-DD, found text `04/29/2025` (write `2025-04-29`)")),
        (MODEL, "value: 2025-04-29", "value: 04/05/2025", ("5:19: released.value: expected a date as YYYY, YYYY-MM or"
         " YYYY-MM-DD, found text `04/05/2025` (such as 2026-12-31)")),
        (MODEL, "  layers: 28", "  lаyers: 28", ("11:3: architecture.lаyers: expected a field that exists; found"
         " unknown key `lаyers` (did you mean `layers`? the `а` in it is no Latin letter)")),
        (MODEL, "url: https://huggingface.co/Qwen/Qwen3-0.6B", "url: <http://huggingface.co/Qwen/Qwen3-0.6B>",
         ("31:10: sources.qwen3-0.6b-card.url: expected an https:// address without spaces, quotes or user names, found"
          " text `<http://huggingface.co/Qwen/Qwen3-0.6B>` (write `https://huggingface.co/Qwen/Qwen3-0.6B`)")),
        (MODEL, "card: qwen3-0.6b-card", "card: https://huggingface.co/Qwen/Qwen3-0.6B", ("7:7: card: expected an id of"
         " lower-case ASCII letters and digits joined by `-` or `.`, found text `https://huggingface.co/Qwen/Qwen3-0.6B`"
         " (describe the page under `sources:` of this file, and write its key here)")),
        (MODEL, "[Qwen/Qwen3-0.6B,", "[https://huggingface.co/Qwen/Qwen3-0.6B,", ("4:16: hugging_face.0: expected the"
         " id of a repository such as `Qwen/Qwen3-8B`, found text `https://huggingface.co/Qwen/Qwen3-0.6B` (write"
         " `Qwen/Qwen3-0.6B`)")),
        (MODEL, "type: model-card", "type: card", ("30:11: sources.qwen3-0.6b-card.type: expected one of"
         " `specification`, `model-card`, `paper`, `documentation`, `code`, `dataset`, `measurement`, `discussion`,"
         " `article`, found text `card` (did you mean `model-card`?)")),
        (MODEL, "sources:\n  qwen3-0.6b-card:", "sources:\n  - qwen3-0.6b-card:", ("26:1: sources: expected a mapping,"
         " found a list (write keys, without `-` in front)")),
        (MODEL, "  layers: 28", "  num_hidden_layers: 28", ("11:3: architecture.num_hidden_layers: expected a field"
         " that exists; found unknown key `num_hidden_layers` (here it is called `layers`)")),
        (MODEL, "as_printed: 0.6B}", "as_printed: 0.6B, also: {source: zero}}", ("25:76:"
         " parameters.stated_billions.also: expected a list, found a mapping (put a `-` in front of the first key"
         " of each entry)")),
        (MODEL, "as_printed: apache-2.0", 'as_printed: "apache\\n2.0"', ("6:67: licence.as_printed: expected one line"
         " of text without blanks at its ends, found text `apache 2.0` (put it in one line)")),
        (MODEL, "card: qwen3-0.6b-card", "card: qwen3-0.6b-card\nderived_from: Qwen/Qwen3-8B", ("8:15: derived_from:"
         " expected an id of lower-case ASCII letters and digits joined by `-` or `.`, found text `Qwen/Qwen3-8B`"
         " (write `qwen3-8b`)")),
        (RIG, "  reason: {ru: Обычно для такой рабочей станции., en: Usual for such a workstation.}",
         "  reason: Usual.",
         ("7:11: host_memory_gib.reason: expected texts `ru` and `en`, found text `Usual.` (write `{ru: …, en: …}`:"
         " readers get both languages)")),
        (GPU, "tdp_w: {value: 300,", "tdp_w: {value: 300,5,", ("33:20: tdp_w.5: expected one of `value`, `kind`,"
         " `source`, `as_printed`, `where`, `read`, `reason`, `also`, `conflicts`; found unknown key `5` (write a"
         " decimal fraction with a point)")),
    ],
)  # fmt: skip
def test_one_mistake_one_line(data: Path, name: str, old: str, new: str, message: str) -> None:
    edit(data, name, old, new)
    assert f"data/{name}:{message}" in problems(data)


def test_a_comma_in_braces_gets_its_hint(data: Path) -> None:
    edit(data, "stack/shard.yml", "where: section 5", "where: section 5, page 7")
    [problem] = problems(data)
    assert problem.endswith("found unknown key `page 7` (text with a comma inside `{…}` needs quotes)")


def test_a_value_of_no_allowed_type_is_one_error(data: Path) -> None:
    reason = "{ru: Проще., en: Simpler.}"
    edit(data, MODEL, "as_printed: 0.6B}", f"conflicts: [{{source: qwen3-0.6b-card, value: [1], reason: {reason}}}]}}")
    [problem] = problems(data)
    assert (
        "parameters.stated_billions.conflicts.0.value: expected text or a number or a whole number or true" in problem
    )


def test_a_value_may_not_be_infinite(data: Path) -> None:
    edit(data, GPU, "value: 960,", "value: .inf,")
    assert "expected a number, found text `.inf`" in problems(data)[0]


def test_wrong_places(data: Path, tmp_path: Path) -> None:
    write(data, "models/loose.yml", "name: x\n")
    write(data, "models/qwen3/Qwen3_8B.yml", "name: x\n")
    write(data, "models/qwen3/notes.txt", "x")
    write(data, "models/qwen3/qwen3-1.7b.yaml", "name: x\n")
    write(data, "models/qwen3/deeper/x.yml", "name: x\n")
    write(data, "models/UPPER/x.yml", "name: x\n")
    write(data, "model/x.yml", "name: x\n")
    write(data, "polisy.yml", "x: 1\n")
    write(data, ".hidden.yml", "x: 1\n")
    write(data, "rigs/.editor.swp", "x")
    (data / "rigs" / "link.yml").symlink_to(tmp_path / "elsewhere.yml")
    (data / "sources" / "folder.yml").mkdir()
    os.mkfifo(data / "gpus" / "nvidia" / "pipe.yml")
    assert problems(data) == [
        "data/.hidden.yml:1:1: expected a name without a dot in front, found a hidden file (rename or delete it)",
        "data/gpus/nvidia/pipe.yml:1:1: expected a file or a folder, found a device (delete it)",
        (
            "data/model:1:1: expected one of the folders `models`, `gpus`, `rigs`, `methods`, `sources`, `stack`, found"
            " `model` (did you mean `models`?)"
        ),
        (
            "data/models/UPPER:1:1: expected lower-case ASCII letters and digits joined by `-` or `.`, found `UPPER`"
            " (the file's name is the id: rename it to `upper`)"
        ),
        "data/models/loose.yml:1:1: expected data/models/<folder>/<id>.yml, found a file here",
        (
            "data/models/qwen3/Qwen3_8B.yml:1:1: expected lower-case ASCII letters and digits joined by `-` or `.`,"
            " found `Qwen3_8B` (the file's name is the id: rename it to `qwen3-8b`)"
        ),
        "data/models/qwen3/deeper:1:1: expected data/models/<folder>/<id>.yml, found a folder here",
        "data/models/qwen3/notes.txt:1:1: expected a name that ends in `.yml`, found `notes.txt`",
        (
            "data/models/qwen3/qwen3-1.7b.yaml:1:1: expected a name that ends in `.yml`, found `qwen3-1.7b.yaml`"
            " (rename it to end in `.yml`)"
        ),
        (
            "data/polisy.yml:1:1: expected one of `policy.yml`, `constants.yml`, `permalinks.yml`,"
            " `link-exceptions.yml`, `absent.yml`, `verdicts.csv`, `changes.csv`, `README.md`, found `polisy.yml`"
            " (did you mean `policy.yml`?)"
        ),
        "data/rigs/link.yml:1:1: expected a file or a folder, found a symbolic link (copy what it points to)",
        "data/sources/folder.yml:1:1: expected data/sources/<id>.yml, found a folder here",
    ]


@pytest.mark.parametrize(
    "name", ["..yml", "a b.yml", "x;rm.yml", "%2e%2e.yml", "ключ.yml", "a--b.yml", f"{'x' * 81}.yml"]
)
def test_a_name_that_is_no_id(data: Path, name: str) -> None:
    write(data, f"sources/{name}", FILES["sources/zero.yml"])
    expected = "a name without a dot in front" if name.startswith(".") else "lower-case ASCII letters and digits"
    assert f"expected {expected}" in problems(data)[0]


@pytest.mark.parametrize("name", ["index", "a.html", "a.md", "b.json", "c.yml"])
def test_an_id_that_looks_like_a_file(data: Path, name: str) -> None:
    write(data, f"sources/{name}.yml", FILES["sources/zero.yml"])
    expected = f"expected an id that makes an address, found `{name}`, which looks like a file (the file's name is the"
    assert problems(data)[0].startswith(f"data/sources/{name}.yml:1:1: {expected}")


@pytest.mark.parametrize("method", ["full", "lora", "qlora", "pretrain"])
def test_every_method_must_be_there(data: Path, method: str) -> None:
    (data / "methods" / f"{method}.yml").unlink()
    assert f"data/methods/{method}.yml:1:1: expected a file, found nothing" in problems(data)


def test_a_method_that_nobody_can_estimate(data: Path) -> None:
    write(data, "methods/dora.yml", FILES["methods/lora.yml"])
    found = problems(data)
    assert any(text.startswith("data/methods/dora.yml:1:1: expected one of the methods `full`") for text in found)


@pytest.mark.parametrize(("file", "place"), [(RIG, "rigs"), (GPU, "gpus"), (MODEL, "models")])
def test_at_least_one_of_each(data: Path, file: str, place: str) -> None:
    (data / file).unlink()
    assert any(text.startswith(f"data/{place}:1:1: expected at least one {place}/<") for text in problems(data))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (MODEL, "value: 2025-04-29", "value: 2025-02-30", "released.value: expected a date as YYYY-MM-DD that the cal"),
        ("constants.yml", "error-low-full: {value: 0.03", "error-low-full: {value: -5", ("error-low-full.value:"
         " expected a number of at least 0, found number `-5`")),
        (RIG, "value: 20\n", "value: 1e-320\n", "bus_gb_per_s.value: expected a number from 1e-06 to 1e+15, found"),
        (RIG, "value: 256", "value: 1e308", "host_memory_gib.value: expected a number from 1e-06 to 1e+15, found"),
        (MODEL, "hidden: 1024", f"hidden: {10**30}", "expected a whole number of at most 1e+15, found"),
        ("policy.yml", "[2048, 8192]", "[]", "context_variants: expected at least 1 item, found an empty list"),
        ("methods/lora.yml", "sharding: ddp", "sharding: zero2", "expected one of `none`, `ddp`, `zero3`, `fsdp1`"),
        ("stack/shard.yml", "where: section 5", 'where: "a\\uFFFF"', "visible text, found the character U+FFFF"),
        ("stack/shard.yml", "where: section 5", 'where: "a\\u202E"', "visible text, found the character U+202E"),
        ("stack/shard.yml", "where: section 5", "where: a\ufdd0", "expected "),
    ],
)  # fmt: skip
def test_what_a_build_cannot_use(data: Path, name: str, old: str, new: str, message: str) -> None:
    edit(data, name, old, new)
    assert any(text.startswith(f"data/{name}:") and message in text for text in problems(data)), problems(data)


def test_errors_of_a_record_hide_nothing_else_in_its_file(data: Path) -> None:
    edit(data, MODEL, "vendor:", "vendr:")
    edit(data, MODEL, "as_printed: 0.6B", "where: x, also: [{source: nobody}]")
    edit(data, MODEL, "card: qwen3-0.6b-card", "card: nobody-else\nderived_from: nothing\naliases: [X, x]")
    edit(data, MODEL, "sources:\n", "sources:\n  spare: {title: x}\n")
    edit(data, RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000\nx: 1")
    found = "\n".join(problems(data))
    for part in (
        "parameters.stated_billions.also.0.source: expected the id of a source, found `nobody`",
        "card: expected the id of a source, found `nobody-else`",
        "derived_from: expected the id of a model, found `nothing`",
        "aliases.1: expected each name once, found `x` again",
        "sources.spare: expected a source that something cites, found no citation",
        "gpu: expected the id of a GPU, found `rtx-6000` (did you mean `rtx-6000-ada`?)",
    ):
        assert part in found
    assert "zero" not in found


def test_a_name_with_control_characters_is_shown_without_them(data: Path) -> None:
    write(data, "sources/a\x1b[31m\nb.yml", "x: 1\n")
    [problem] = problems(data)
    assert problem == "data/sources/a�[31m�b.yml:1:1: expected a name of visible characters, found others (rename it)"


def test_what_must_be_there(data: Path, tmp_path: Path) -> None:
    (data / "policy.yml").unlink()
    (data / "constants.yml").unlink()
    assert problems(data) == [
        "data/constants.yml:1:1: expected a file, found nothing",
        "data/policy.yml:1:1: expected a file, found nothing",
    ]
    assert problems(tmp_path / "nowhere")[0] == "nowhere:1:1: expected a folder with data, found none"


def test_a_broken_file_does_not_break_what_refers_to_it(data: Path) -> None:
    edit(data, GPU, "name: NVIDIA", "nam: NVIDIA")
    edit(data, MODEL, "card: qwen3-0.6b-card", "card: qwen3-0.6b-card\ncards: x")
    assert {problem.partition(":")[0] for problem in problems(data)} == {f"data/{GPU}", f"data/{MODEL}"}


@pytest.mark.parametrize("name", ["policy.yml", GPU, MODEL, "sources/zero.yml", "methods/lora.yml"])
def test_an_unreadable_file_is_the_only_one_that_is_complained_of(data: Path, name: str) -> None:
    """Whatever other files refer to in it: classes of speed, sources, families, ids."""
    edit(data, GPU, "  kind: assumed\n  reason: {ru: Доля", "  speed_class: ada\n  kind: assumed\n  reason: {ru: Доля")
    edit(data, RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000-ada\nfamilies: [qwen3]")
    policy = (data / "policy.yml").read_text(encoding="utf-8")
    shares = "cautious: 0.2, expected: 0.3, best: 0.4, reason: {ru: Выбрано., en: Chosen.}, citations: [{source: zero}]"
    ada = f"speed_classes: [{{id: ada, name: {{ru: Ada, en: Ada}}, {shares}}}]"
    write(data, "policy.yml", f"{policy}{ada}\n")
    write(data, "measurements/rtx-6000-ada-datasheet.csv", "id,where,model,shape,method,n_gpus,gpu,outcome\n")
    write(data, name, (data / name).read_text(encoding="utf-8") + "more: [\n")
    assert {problem.partition(":")[0] for problem in problems(data)} == {f"data/{name}"}, problems(data)


def test_a_file_that_must_be_there_is_missed_once(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    (data / "constants.yml").unlink()
    assert problems(data) == ["data/constants.yml:1:1: expected a file, found nothing"]


def test_a_config_json_in_the_place_of_a_model_is_one_error(data: Path) -> None:
    write(data, "models/qwen3/other.yml", '{"architectures": ["LlamaForCausalLM"],\n "model_type": "llama"}\n')
    assert problems(data) == [
        (
            "data/models/qwen3/other.yml:1:1: expected the fields of a model's file, found a config.json (move it out"
            " of data/, and `.venv/bin/trainfit add model` makes a file of it)"
        )
    ]
