"""Hostile and sloppy files, one after another: a clear error at its place each, or text that stays text."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import load_catalog
from generator.errors import CatalogErrors
from generator.site.pages_models import model_page
from generator.site.pages_site import Site
from generator.verdict import judge_rig
from tests.site.html_tree import parse
from tests.site.pages_support import to_html
from tests.support import FILES, GPU, MODEL, RIG, tiny_catalog

NAME = "name: Qwen3-0.6B"
LAYERS = "  layers: 28"
URL = "url: https://huggingface.co/Qwen/Qwen3-0.6B"

STACK = "stack/environments/trl.yml"
EDITS: dict[str, tuple[str, str, str, str]] = {
    "duplicate key": (MODEL, NAME, f"{NAME}\nname: Other", "2:1: name: expected each key once, found `name` again"),
    "duplicate key inside": (MODEL, LAYERS, f"{LAYERS}\n{LAYERS}", "12:3: architecture.layers: expected each key once"),
    "tab": (MODEL, LAYERS, "\tlayers: 28", "11:1: expected spaces, found a tab"),
    "tab behind a key": (MODEL, LAYERS, "  layers:\t28", "11:10: expected spaces, found a tab"),
    "anchor": (MODEL, LAYERS, "  layers: &a 28", "11:11: architecture.layers: expected a value, found the anchor `&a`"),
    "alias": (MODEL, LAYERS, "  layers: *a", "11:11: architecture.layers: expected a value, found the alias `*a`"),
    "merge key": (MODEL, LAYERS, "  <<: {layers: 28}", "11:3: architecture: expected a key, found the merge key `<<`"),
    "tag": (MODEL, LAYERS, "  layers: !!python/object/apply:os.system [x]", "expected a value, found the tag"),
    "tag of a float": (MODEL, LAYERS, "  layers: !!float 28", "found the tag"),
    "word for a truth value": (MODEL, "tied_embeddings: true", "tied_embeddings: no",
                               "18:20: architecture.tied_embeddings: expected true or false, found text `no`"),
    "capital truth value": (MODEL, "tied_embeddings: true", "tied_embeddings: True",
                            "expected true or false, found text `True`"),
    "float for a whole number": (MODEL, LAYERS, "  layers: 28.5", "expected a whole number, found number `28.5`"),
    "exponent for a whole number": (MODEL, LAYERS, "  layers: 2.85e1", "expected a whole number, found number `28.5`"),
    "not a number": (GPU, "value: 960", "value: .nan", "8:29: bandwidth_gb_per_s.value: expected a number, found text"),
    "infinity": (GPU, "value: 960", "value: 1e999", "expected a finite number, found `1e999`"),
    "hexadecimal": (MODEL, LAYERS, "  layers: 0x1C", "expected a whole number, found text `0x1C`"),
    "octal": (MODEL, LAYERS, "  layers: 028", "expected a whole number, found text `028`"),
    "sexagesimal": (MODEL, LAYERS, "  layers: 1:30", "expected a whole number, found text `1:30`"),
    "separators": (MODEL, "vocab: 151936", "vocab: 151,936", "expected a whole number, found text `151,936`"),
    "underscores": (MODEL, "vocab: 151936", "vocab: 151_936", "expected a whole number, found text `151_936`"),
    "unit as text": (GPU, "tdp_w: {value: 300,", "tdp_w: {value: 300 W,",
                     "tdp_w.value: expected a number, found text `300 W`"),
    "number in quotes": (MODEL, LAYERS, '  layers: "28"', "expected a whole number, found text `28`"),
    "negative": (MODEL, LAYERS, "  layers: -28", "expected a number above 0, found number `-28`"),
    "huge number": (MODEL, LAYERS, f"  layers: {'9' * 400}", "architecture.layers: expected"),
    "null": (MODEL, LAYERS, "  layers: ~", "architecture.layers: expected"),
    "list for a value": (MODEL, LAYERS, "  layers: [28]", "architecture.layers: expected"),
    "unknown key": (MODEL, LAYERS, f"{LAYERS}\n  layer: 28", "12:3: architecture.layer: expected a field that exists"),
    "missing language": (RIG, "name: {ru: 4× RTX 6000 Ada, en: 4× RTX 6000 Ada}", "name: {ru: 4× RTX 6000 Ada}",
                         "1:1: name.en: expected text, found nothing"),
    "text for two languages": (RIG, "name: {ru: 4× RTX 6000 Ada, en: 4× RTX 6000 Ada}", "name: 4× RTX 6000 Ada",
                               "name: expected texts `ru` and `en`, found text"),
    "javascript address": (MODEL, URL, "url: javascript:alert(1)", "expected an https:// address"),
    "data address": (MODEL, URL, "url: data:text/html,x", "expected an https:// address"),
    "plain http": (MODEL, URL, "url: http://huggingface.co/x", "expected an https:// address"),
    "address with a user": (MODEL, URL, "url: https://a:b@huggingface.co/", "expected an https:// address"),
    "address with a quote": (MODEL, URL, "url: 'https://huggingface.co/\"onload=x'", "expected an https:// address"),
    "bidi characters": (MODEL, NAME, "name: Qwen\u202e3", "1:11: expected visible text, found the character U+202E"),
    "escaped bidi character": (MODEL, NAME, 'name: "Qwen\\u202e3"', "found the character U+202E"),
    "zero-width space": (MODEL, NAME, "name: Qwen\u200b3", "found the character U+200B"),
    "control character": (MODEL, NAME, "name: Qwen\x073", "1:11: expected visible text, found the character U+0007"),
    "Russian letters in an id": (MODEL, "card: qwen3-0.6b-card", "card: qwеn3-0.6b-card", "7:7: card: expected an id"),
    "escaping id": (RIG, "gpu: rtx-6000-ada", "gpu: ../../etc/passwd", "2:6: gpu: expected an id"),
    "id with a slash": (MODEL, "card: qwen3-0.6b-card", "card: a/b", "7:7: card: expected an id"),
    "unknown id": (RIG, "gpu: rtx-6000-ada", "gpu: rtx-6000-adda", "(did you mean `rtx-6000-ada`?)"),
    "day that is none": (MODEL, "    read: 2026-12-01", "    read: 2026-02-30", "expected a date as YYYY-MM-DD"),
    "day the other way round": (MODEL, "    read: 2026-12-01", "    read: 01.12.2026", "expected a date as YYYY-MM-DD"),
    "an option of pip for a package": (STACK, "{torch: 2.13.0,", "{--index-url https://x.example: 1, torch: 2.13.0,",
                                       "expected the name of a package such as `bitsandbytes`, found text `--index"),
    "an address for a version": (STACK, "{torch: 2.13.0,", "{torch: '2.13.0 @ https://x.example/x.whl',",
                                 "packages.torch: expected a version such as `2.13.0`, found text"),
    "a line end in a version": (STACK, "{torch: 2.13.0,", '{torch: "2.13.0\\n-r x",', "torch: expected a version"),
    "a command for a version": (STACK, "python: '3.11'", "python: 3.11; rm -rf /", "python: expected a version"),
    "a path for a model of a framework": (STACK, "{qwen3-0.6b: 0.6B}", "{qwen3-0.6b: ../x}",
                                          "models.qwen3-0.6b: expected the id of a repository"),
    "a command for a repository": (MODEL, "[Qwen/Qwen3-0.6B,", '["$(id)", Qwen/Qwen3-0.6B,',
                                   "hugging_face.0: expected the id of a repository such as `Qwen/Qwen3-8B`"),
    "an address for a page": ("permalinks.yml", "models: {}", "models: {old: //x.example/}",
                              "1:15: models.old: expected the address of a page such as `models/qwen3-14b/`, found"),
    "an address for a server": ("link-exceptions.yml", "{www.nvidia.com:", "{'https://www.nvidia.com/':",
                                "expected the name of a server such as `www.nvidia.com`, found text"),
    "several documents": (MODEL, NAME, f"{NAME}\n---", "expected one document, found a second"),
    "directive": (MODEL, NAME, f"%YAML 1.1\n---\n{NAME}", "expected plain YAML, found a directive"),
    "no colon": (MODEL, LAYERS, "  layers 28", "11:3: expected `key: value`, found `layers 28`"),
    "two colons": (MODEL, NAME, "name: Qwen3: the model", "put text that holds `: ` in quotes"),
    "open quote": (MODEL, NAME, 'name: "Qwen3', "expected valid YAML"),
    "open brace": (MODEL, "{value: 0.6,", "{value: 0.6", "expected"),
    "wrong indent": (MODEL, LAYERS, "   layers: 28", "11:4: architecture.layers: expected `layers` in column 3"),
    "deep nesting": (MODEL, LAYERS, f"  layers: {'[' * 40}{']' * 40}", "expected at most 16 levels of nesting"),
    "very deep nesting": (MODEL, LAYERS, f"  layers: {'{a: ' * 5000}1{'}' * 5000}", "expected at most 16 levels"),
    "long line": (MODEL, NAME, f"name: {'x' * 100_000}", "1:7: name: expected text of at most 300 characters"),
    "large file": (MODEL, NAME, f"{NAME}\n# {'x' * 10_000_000}", "1:1: expected at most 256 KiB, found a larger file"),
    "many keys": (MODEL, LAYERS, "".join(f"  k{n}: 1\n" for n in range(3000)) + LAYERS,
                  "architecture.k0: expected one of"),
    "two errors on one line": (GPU, "tdp_w: {value: 300, source: rtx-6000-ada-datasheet,",
                               "tdp_w: {value: x, source: X,",
                               "tdp_w.value: expected a number"),
    "blank": (MODEL, NAME, 'name: "?? the name"', "1:7: name: expected the name, found a blank"),
}  # fmt: skip
"""What is tried → file, old text, new text, what the first error or one of the others says."""
BYTES: dict[str, tuple[bytes, bytes, str]] = {
    "byte order mark": (b"name:", b"\xef\xbb\xbfname:", "1:1: expected text, found a byte order mark"),
    "UTF-16": (b"name:", "name:".encode("utf-16"), "expected UTF-8, found the byte 0xFF"),
    "latin-1": (b"name: Qwen3-0.6B", "name: Qwén3".encode("latin-1"), "1:9: expected UTF-8, found the byte 0xE9"),
    "windows-1251": (b"name: Qwen3-0.6B", "name: Квен".encode("cp1251"), "1:7: expected UTF-8, found the byte 0xCA"),
    "zero byte": (b"name: Qwen", b"name: Q\x00wen", "1:8: expected visible text, found the character U+0000"),
    "surrogate": (b"name: Qwen", b"name: Q\xed\xa0\x80wen", "expected UTF-8"),
    "binary": (b"name:", b"\x89PNG\r\n\x1a\n", "expected UTF-8, found the byte 0x89"),
}
HARMLESS = {
    "HTML": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)',
    "image": "<img src=x onerror=alert(1)>",
    "Markdown link": "[x](javascript:alert(1))",
    "Markdown image": "![x](https://example.org/track)",
    "Markdown emphasis": "**x** _y_ `z` # h",
    "Jinja": "{{ 7 * 7 }} {% raw %}",
    "Python format": "{0} {x} {x!r:>10}",
    "entity": "&lt;b&gt; &#60;",
    "fragment token": "TFFRAGMENT:lead:END",
    "comment": "<!-- x --> --> <![CDATA[x]]>",
    "Cyrillic look-alikes": "Qwеn3",
    "quotation marks": "'\"`",
    "backslashes": "\\u202e \\x3cscript\\x3e C:\\x",
    "percent": "%(x)s %s %%",
    "formula": "=HYPERLINK(1)",
}
"""What may stand in a name and must stay text."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path)


def said(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Lines of `trainfit check`, in text and as annotations: neither ever shows a traceback."""
    assert cli.main(["--data-dir", str(data), "check", "--format", "github"]) == 1
    annotations = capsys.readouterr()
    assert annotations.err == ""
    assert all(line.startswith(("::error ", "::warning ")) for line in annotations.out.splitlines())
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    text = capsys.readouterr()
    assert text.err == ""
    assert "Traceback" not in text.out
    return text.out.splitlines()


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_a_clear_error(data: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, old, new, expected = EDITS[what]
    path = data / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
    lines = said(data, capsys)
    assert any(line.startswith(f"data/{name}:") and expected in line for line in lines), lines[:5]
    assert all(len(line) < 3000 for line in lines), "an error can be read"


def test_two_errors_on_one_line_are_two(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, old, new, _ = EDITS["two errors on one line"]
    path = data / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    places = [line.split(": ")[:2] for line in said(data, capsys)[:-1]]
    assert [field for place, field in places if "rtx-6000-ada.yml" in place] == ["tdp_w.value", "tdp_w.source"]
    assert len({place.split(":")[1] for place, _ in places}) == 1


@pytest.mark.parametrize("what", BYTES)
def test_bytes_are_a_clear_error(data: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, expected = BYTES[what]
    path = data / MODEL
    raw = path.read_bytes()
    assert old in raw
    path.write_bytes(raw.replace(old, new, 1))
    lines = said(data, capsys)
    assert any(line.startswith(f"data/{MODEL}:") and expected in line for line in lines), lines[:5]


def test_an_anchor_bomb_is_refused_at_its_first_anchor(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in itertools.pairwise("abcdefghi")]
    bomb = "a: &a [x, x]\n" + "".join(lines)
    (data / MODEL).write_text(bomb, encoding="utf-8")
    assert said(data, capsys)[0].startswith(f"data/{MODEL}:1:4: a: expected a value, found the anchor `&a`")


def test_line_ends_of_another_system_are_harmless(data: Path) -> None:
    for name in FILES:
        path = data / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_catalog(data).models


@pytest.mark.parametrize("what", HARMLESS)
def test_a_strange_name_stays_text(data: Path, what: str) -> None:
    path = data / MODEL
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(NAME, f"name: {json.dumps(HARMLESS[what])}", 1), encoding="utf-8")
    try:
        catalog = load_catalog(data)
    except CatalogErrors as problem:
        pytest.fail(str(problem))
    (model_id,) = catalog.models
    assert catalog.models[model_id].name == HARMLESS[what]
    site = Site(catalog, {rig: judge_rig(catalog, rig) for rig in catalog.rigs}, "en")
    tree = parse(to_html(model_page(site, model_id)))
    for element in tree.elements():
        assert element.tag not in ("script", "img")
        assert not any(name.startswith("on") for name in element.attributes)
        assert not element.attributes.get("href", "").lower().startswith("javascript")
    assert HARMLESS[what] in " ".join(tree.text.split())
