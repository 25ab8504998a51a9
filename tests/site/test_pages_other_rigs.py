"""Pages follow the data: other memory, no memory to speak of, two rigs."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest

from generator.catalog import Catalog
from generator.catalog.records import Gpu
from generator.site.page import Page
from generator.site.pages import render_pages
from generator.verdict import judge_rig
from tests.site.html_tree import parse
from tests.site.pages_support import heading_ids, site_catalog, site_pages

RIG, GPU = "4x-rtx-6000-ada", "rtx-6000-ada"


def with_memory(gpu: Gpu, label_gib: float) -> Gpu:
    """The same card with another amount of memory: everything that says how much scales alike."""
    share = label_gib / gpu.memory_label_gib.value

    def scaled(cited):
        return cited.model_copy(update={"value": cited.value * share})

    def pair(values):
        return values.model_copy(update={"on": scaled(values.on), "off": scaled(values.off)})

    return gpu.model_copy(
        update={
            "memory_label_gib": scaled(gpu.memory_label_gib),
            "usable_mib": pair(gpu.usable_mib),
            "framework_visible_gib": pair(gpu.framework_visible_gib),
        }
    )


def catalog_with_memory(label_gib: float) -> Catalog:
    catalog = site_catalog()
    gpus = {**catalog.gpus, GPU: with_memory(catalog.gpus[GPU], label_gib)}
    return dataclasses.replace(catalog, gpus=MappingProxyType(gpus))


def home(catalog: Catalog) -> Page:
    return render_pages(catalog, {RIG: judge_rig(catalog, RIG)}, "en")[0]


def test_the_headline_follows_the_memory_of_the_card() -> None:
    small, real, large = home(catalog_with_memory(24)), site_pages("en")[""], home(catalog_with_memory(96))
    assert small.title.startswith("96 GB on")
    assert real.title.startswith("192 GB on")
    assert large.title.startswith("384 GB on")
    assert "full fine-tuning up to 4B" in small.title
    assert "full fine-tuning up to 8B" in real.title
    assert "full fine-tuning up to 14B" in large.title
    assert len({small.title, real.title, large.title}) == 3
    assert heading_ids(small) == heading_ids(real) == heading_ids(large)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_a_card_that_holds_nothing_still_gets_a_page(language) -> None:
    catalog = catalog_with_memory(1)
    pages = render_pages(catalog, {RIG: judge_rig(catalog, RIG)}, language)
    assert heading_ids(pages[0]) == heading_ids(site_pages(language)[""])
    assert "GB" in pages[0].title or "ГБ" in pages[0].title


def test_a_second_rig_has_its_page_and_its_own_places_on_the_pages_of_models() -> None:
    catalog = site_catalog()
    first = catalog.rigs[RIG]
    rigs = MappingProxyType({RIG: first, "8x-rtx-6000-ada": first.model_copy(update={"count": 8})})
    entries = MappingProxyType({**catalog.entries, ("rig", "8x-rtx-6000-ada"): catalog.entries["rig", RIG]})
    names = MappingProxyType(
        {**catalog.names, "rig": MappingProxyType({**catalog.names["rig"], "8x-rtx-6000-ada": "8x-rtx-6000-ada"})}
    )
    two = dataclasses.replace(catalog, rigs=rigs, entries=entries, names=names)
    pages = {p.path: p for p in render_pages(two, {rig: judge_rig(two, rig) for rig in rigs}, "en")}
    assert "rigs/8x-rtx-6000-ada/" in pages
    ids = heading_ids(pages["models/qwen3-8b/"])
    assert {"full", "needs"} <= set(ids)
    assert len(ids) == len(set(ids))
    shown = "".join(pages["rigs/"].fragments.values())
    cards = [e for e in parse(shown).elements() if "tf-card" in e.classes]
    assert len(cards) == 2
    assert {"cards-4", "cards-8"} <= set(heading_ids(pages["rigs/"]))
    page = pages["models/qwen3-14b/"]
    home_table, others = parse(page.fragments["verdicts"]), parse(page.fragments["rigs"])
    assert f"../../v/{RIG}/qwen3-14b/#full" in {e.attributes.get("href") for e in home_table.elements()}
    assert {e.attributes["data-rig"] for e in others.elements() if e.tag == "tr" and "data-rig" in e.attributes} == set(
        rigs
    )
    links = {e.attributes.get("href") for e in others.elements()}
    assert {f"../../v/{rig}/qwen3-14b/" for rig in rigs} <= links
    second = parse(pages["rigs/8x-rtx-6000-ada/"].fragments["capability-map"])
    explained = [e.attributes["href"] for e in second.elements() if "tf-num--words" in e.classes]
    assert explained
    assert not [href for href in explained if "/models/" in href]
    cells = [e for e in parse(pages["rigs/compare/"].fragments["models"]).elements() if "data-side" in e.attributes]
    assert {cell.attributes["href"].split("/")[3] for cell in cells} == set(rigs)
