"""All generated pages of one language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from generator.catalog import Catalog
from generator.site.page import Language, Page
from generator.site.pages_accuracy import accuracy_page, runs_page
from generator.site.pages_calculator import calculator_page
from generator.site.pages_compare import compare_page
from generator.site.pages_hardware import gpu_page, gpus_page, rig_page, rigs_page
from generator.site.pages_home import home_page
from generator.site.pages_methodology import methodology_page
from generator.site.pages_methods import method_page, methods_page
from generator.site.pages_models import model_page, models_page
from generator.site.pages_quality import changes_page, quality_page
from generator.site.pages_site import Site
from generator.site.pages_sources import source_page, sources_page
from generator.site.pages_stack import stacks_page
from generator.site.pages_terms import terms_page
from generator.verdict.results import RigReport


def makers(site: Site) -> list[Callable[[], Page]]:
    """What makes each generated page of a language, the home page first."""
    catalog, reports = site.catalog, site.reports
    return [
        partial(home_page, site),
        partial(rigs_page, site),
        *(partial(rig_page, site, rig) for rig in reports),
        partial(compare_page, site),
        partial(models_page, site),
        *(partial(model_page, site, model) for model in catalog.models),
        partial(calculator_page, site),
        partial(gpus_page, site),
        *(partial(gpu_page, site, gpu) for gpu in catalog.gpus),
        partial(methods_page, site),
        *(partial(method_page, site, method) for method in catalog.methods),
        partial(stacks_page, site),
        partial(methodology_page, site),
        partial(accuracy_page, site),
        *(partial(runs_page, site, source) for source in site.checks.sources),
        partial(terms_page, site),
        partial(sources_page, site),
        *(partial(source_page, site, source) for source in catalog.sources),
        partial(quality_page, site),
        partial(changes_page, site),
    ]


def render_pages(
    catalog: Catalog, reports: Mapping[str, RigReport], language: Language, share: tuple[int, int] = (0, 1)
) -> list[Page]:
    """Every generated page in `language`, the home page first; with a share (k, n), every n-th of them from the k-th.

    `reports` holds the report of each rig by id; the first one is what the home page is about. Raises MessageError
    (a BuildError) where a message or one of its values is missing.
    """
    first, step = share
    return [make() for make in makers(Site(catalog, reports, language))[first::step]]
