"""`build`: from data/ to a site, all or nothing."""

from __future__ import annotations

import datetime
import gc
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from generator.catalog import Catalog, load_catalog
from generator.errors import BuildError
from generator.site import assemble, search, styles
from generator.site.api import write_api
from generator.site.feed import write_feeds
from generator.site.light import light_paths, write_light_pages, write_moved
from generator.site.messages import Messages
from generator.site.mkdocs_ready import mkdocs_ready
from generator.site.page import LANGUAGES, Language
from generator.site.pages_site import home_rig
from generator.site.pages_stack import write_configs
from generator.site.previews import write_previews
from generator.site.render import ROOT, Document, facts_of, judge_rigs, render
from generator.site.side_by_side import beside
from generator.site.swap import check_replaceable, put_in_place
from generator.site.urls import REPOSITORY_URL_VARIABLE, SITE_URL_VARIABLE, ordered
from generator.verdict import RigReport

__all__ = ["Built", "build", "render"]

KEPT = (
    "PATH",
    "HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
    SITE_URL_VARIABLE,
    REPOSITORY_URL_VARIABLE,
)
"""Variables that reach MkDocs and Pagefind: nothing else of the caller's environment can change a page."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished site."""

    site_dir: Path
    pages: int
    """In all languages together."""
    languages: tuple[Language, ...]


def environment(data_date: datetime.date, work_dir: Path) -> dict[str, str]:
    """Environment of the programs that a build starts; times are the day of the data unless SOURCE_DATE_EPOCH says."""
    midnight = datetime.datetime.combine(data_date, datetime.time(), datetime.UTC)
    return {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "DISABLE_MKDOCS_2_WARNING": "true",
        "LC_ALL": "C.UTF-8",
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH") or str(int(midnight.timestamp())),
        "TZ": "UTC",
        **{f"TRAINFIT_DOCS_{language.upper()}": str(work_dir / "docs" / language) for language in LANGUAGES},
    }


@contextmanager
def only_one(work_dir: Path) -> Iterator[None]:
    """Holds `work_dir` for one build at a time; a second one waits. The lock ends with the process."""
    work_dir.mkdir(parents=True, exist_ok=True)
    with (work_dir / ".lock").open("w") as lock:
        try:
            import fcntl
        except ImportError:  # no such lock on Windows: builds there are the caller's to order
            yield
            return
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(
    data_dir: Path | None = None,
    site_dir: Path = ROOT / "site",
    languages: Sequence[str] = LANGUAGES,
    *,
    work_dir: Path = ROOT / "build",
    source_dir: Path = ROOT,
    rigs: Collection[str] = (),
    search_last: bool = False,
    done: Callable[[], object] = lambda: None,
) -> Built:
    """Validates, computes, renders, and puts the site into `site_dir`; returns what was made.

    With `rigs`, these and the rig of the home page alone: a preview, in which links to others lead nowhere. Ids that
    the data does not have are passed over. `done` is called when the new site stands, before the old one is removed.
    With `search_last` it stands with the search index of the old one until its own has been made.

    Raises CatalogErrors for bad data and BuildError for everything else that may go wrong. Whatever happens, and
    whenever, `site_dir` holds the old site or the new one.
    """
    chosen = ordered(languages)
    site_dir, work_dir = site_dir.absolute(), work_dir.absolute()
    check_replaceable(site_dir)
    catalog = load_catalog(data_dir) if data_dir is not None else load_catalog()
    if rigs:
        catalog = catalog.with_rigs({*rigs, home_rig(catalog, catalog.rigs)})
    try:
        with only_one(work_dir):
            built = _build(catalog, site_dir, chosen, work_dir, source_dir, search_last, done)
            if search_last:
                search.renew(site_dir, environment(catalog.data_date, work_dir))
            return built
    except OSError as error:
        raise BuildError(f"the site could not be written: {error}") from error
    finally:
        gc.unfreeze()


def without_mkdocs(
    catalog: Catalog, reports: Mapping[str, RigReport], languages: tuple[Language, ...], target: Path
) -> dict[Language, Callable[[], None]]:
    """What writes the parts of the site below `target` that are no pages of MkDocs, and take as long: by language."""

    def write(language: Language) -> None:
        write_light_pages(catalog, reports, language, languages, target)
        write_previews(catalog, target, [language])
        if language == languages[-1]:
            write_api(catalog, reports, target)

    return {language: partial(write, language) for language in languages}


def _build(
    catalog: Catalog,
    site_dir: Path,
    languages: tuple[Language, ...],
    work_dir: Path,
    source_dir: Path,
    search_last: bool,
    done: Callable[[], object],
) -> Built:
    variables = environment(catalog.data_date, work_dir)
    staging, apart = (site_dir.with_name(f"{site_dir.name}-{name}") for name in ("new", "apart"))
    try:
        with mkdocs_ready(languages, work_dir, variables) as run_mkdocs:
            reports = judge_rigs(catalog)
            # All that is there by now stays to the end: to look for garbage in it again and again takes a tenth of
            # the build.
            gc.freeze()
            documents = render(catalog, work_dir, languages, source_dir, reports)
            for directory in (staging, apart):
                shutil.rmtree(directory, ignore_errors=True)
            with beside(without_mkdocs(catalog, reports, languages, apart)) as finished:
                assemble.join(run_mkdocs(), staging)
                index = partial(search.carry_over, site_dir) if search_last else partial(search.index, variables)
                with beside({"search": partial(index, staging)}) as indexed:
                    styles.trim(staging)
                    indexed()
                finished()
        assemble.merge(apart, staging)
        _write_rest(catalog, reports, documents, languages, staging)
        put_in_place(staging, site_dir, done)
    finally:
        for directory in (staging, apart):
            shutil.rmtree(directory, ignore_errors=True)
    return Built(site_dir=site_dir, pages=sum(map(len, documents.values())), languages=languages)


def _write_rest(
    catalog: Catalog,
    reports: Mapping[str, RigReport],
    documents: Mapping[Language, Sequence[Document]],
    languages: tuple[Language, ...],
    staging: Path,
) -> None:
    """Writes what names all pages or leads to them."""
    search.write_names(catalog, staging, languages)
    titles = {language: {page.path: page.title for page in documents[language]} for language in languages}
    assemble.write_redirects(staging, catalog.permalinks, titles)
    write_moved(catalog, reports.keys(), languages, staging)
    paths = [document.path for document in documents[languages[0]]] + light_paths(catalog, reports)
    title = Messages(languages[0])("shell.site.name")
    assemble.finish(staging, paths, languages, facts_of(catalog, languages), title)
    write_feeds(catalog, languages, staging)
    write_configs(catalog, reports[home_rig(catalog, reports)], staging, languages)
