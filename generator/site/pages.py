"""All generated pages of one language."""

from __future__ import annotations

from collections.abc import Mapping

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


def render_pages(catalog: Catalog, reports: Mapping[str, RigReport], language: Language) -> list[Page]:
    """Every generated page in `language`, the home page first.

    `reports` holds the report of each rig by id; the first one is what the home page is about. Raises MessageError
    (a BuildError) where a message or one of its values is missing.
    """
    site = Site(catalog, reports, language)
    return [
        home_page(site),
        rigs_page(site),
        *(rig_page(site, rig) for rig in reports),
        compare_page(site),
        models_page(site),
        *(model_page(site, model) for model in catalog.models),
        calculator_page(site),
        gpus_page(site),
        *(gpu_page(site, gpu) for gpu in catalog.gpus),
        methods_page(site),
        *(method_page(site, method) for method in catalog.methods),
        stacks_page(site),
        methodology_page(site),
        accuracy_page(site),
        *(runs_page(site, source) for source in site.checks.sources),
        terms_page(site),
        sources_page(site),
        *(source_page(site, source) for source in catalog.sources),
        quality_page(site),
        changes_page(site),
    ]
