"""One directory out of the parts of a site."""

from __future__ import annotations

from generator.site.assemble import merge


def test_folders_that_both_have_are_joined(tmp_path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    files = {"v/a/index.html": "a", "en/v/a/index.html": "b", "assets/previews/x.png": "c"}
    for folder, name, text in (
        *((source, name, text) for name, text in files.items()),
        (target, "assets/css/base.css", "d"),
        (target, "en/index.html", "e"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    merge(source, target)
    assert not source.exists()
    assert {str(path.relative_to(target)): path.read_text("utf-8") for path in target.rglob("*") if path.is_file()} == {
        **files,
        "assets/css/base.css": "d",
        "en/index.html": "e",
    }
