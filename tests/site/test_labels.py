"""Names of columns on the cells of tables that a phone shows as cards."""

from __future__ import annotations

from generator.site.labels import labelled

NAMES = ("Run", '<a href="#">Peak</a> "x"', "Why")
HEAD = "<thead><tr>" + "".join(f'<th scope="col">{name}</th>' for name in NAMES) + "</tr></thead>"


def test_cells_carry_the_names_of_their_columns() -> None:
    body = '<tbody><tr id="a"><th scope="row">1</th><td>2</td><td>3</td></tr></tbody>'
    table = f'<table class="tf-stack tf-runs">{HEAD}{body}</table>'
    found = labelled(table)
    assert '<th scope="row">1</th><td data-label="Peak &quot;x&quot;">2</td><td data-label="Why">3</td>' in found
    assert found.replace(' data-label="Peak &quot;x&quot;"', "").replace(' data-label="Why"', "") == table


def test_a_name_of_its_own_stays_and_heads_stand_as_their_cells_do() -> None:
    body = '<tbody><tr><th>1</th><td class="tf-right" data-label="Own">2</td><td>3</td></tr></tbody>'
    found = labelled(f'<table class="tf-stack">{HEAD}{body}</table>')
    assert '<td class="tf-right" data-label="Own">2</td>' in found
    assert '<th scope="col" class="tf-right"><a href="#">Peak</a>' in found
    assert found.count("tf-right") == 2


def test_other_tables_and_rows_with_spans_stay_as_they_are() -> None:
    plain = f"<table>{HEAD}<tbody><tr><td>1</td></tr></tbody></table>"
    assert labelled(plain) == plain
    spanned = f'<table class="tf-stack">{HEAD}<tbody><tr><td colspan="3">1</td></tr></tbody></table>'
    assert labelled(spanned) == spanned
