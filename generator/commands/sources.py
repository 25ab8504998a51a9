"""`trainfit sources`: what the data rest on, in numbers; with `--check`, whether it is still there."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.catalog import Catalog, load_catalog
from generator.catalog.link_check import FINDINGS, TO_LOOK_AT, SourceCheck, check_source
from generator.catalog.web import Fetcher, Manners
from generator.commands.diff_markdown import code
from generator.commands.outcome import Outcome, Subparsers, data_dir_of, positive_number
from generator.commands.tables import table
from generator.errors import TrainfitError, UnknownIdError
from generator.site.urls import markdown_link
from generator.views.quality import Quality, quality
from generator.views.sources import source_views

FORMATS = ("text", "json", "markdown")
ROUTES: Mapping[str, tuple[str, int]] = {}
"""Hosts that are reached elsewhere (see Fetcher.routes)."""
LISTED = 40
"""Lines that a list of ids has at most in text."""


class SourcesError(TrainfitError):
    """The report cannot be written."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "sources",
        parents=parents,
        help="what the data rest on, in numbers; --check opens every source and looks for what is quoted",
        description="Coverage by kind, age, sources that nobody opened, sources that give no value. With --check every "
        "address is opened, politely: robots.txt, a distance between requests, few attempts; what is gone, moved or "
        "changed is listed. data/link-exceptions.yml says what is left alone and why. The exit status is 0 whatever "
        "the pages of others are like.",
    )
    parser.add_argument("--check", action="store_true", help="open the sources and look for what is quoted from them")
    parser.add_argument("--only", metavar="ID", action="append", help="with --check: this source alone; repeatable")
    parser.add_argument("--distance", metavar="SECONDS", type=positive_number, default=Manners().distance)
    parser.add_argument("--format", choices=FORMATS, default="text", help="markdown: findings for an issue, or nothing")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the report there")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """The numbers, or the findings; raises UnknownIdError, SourcesError."""
    catalog = load_catalog(data_dir_of(arguments))
    if arguments.check:
        manners = Manners(distance=arguments.distance)
        checks = check_all(catalog, Fetcher(manners, ROUTES), arguments.only)
        text = {"text": findings_text, "json": findings_json, "markdown": findings_markdown}[arguments.format](checks)
    else:
        text = as_json(quality(catalog)) if arguments.format == "json" else as_text(quality(catalog))
    if arguments.out is None:
        return Outcome(text)
    try:
        arguments.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SourcesError(f"{arguments.out}: expected a place to write to, found {error.strerror}") from error
    return Outcome(f"wrote {arguments.out}\n")


def check_all(catalog: Catalog, fetcher: Fetcher, only: Sequence[str] | None = None) -> list[SourceCheck]:
    """Every source looked up, the worst first; hosts take turns, so that waiting for one is no time lost."""
    quotes: dict[str, dict[str, None]] = {}
    for usage in catalog.citations():
        if usage.citation.as_printed:
            quotes.setdefault(usage.source_id, {})[usage.citation.as_printed] = None
    chosen = {catalog.names["source"].get(name, "") for name in only or ()}
    if "" in chosen:
        unknown = next(name for name in only or () if name not in catalog.names["source"])
        raise UnknownIdError("source", unknown)
    reasons = {name: text.en for name, text in catalog.link_exceptions.items()}
    found = []
    for source_id in _in_turn(catalog, chosen):
        source = catalog.sources[source_id]
        found.append(check_source(fetcher, source_id, source, tuple(quotes.get(source_id, ())), reasons))
        print(f"{found[-1].finding:12} {source_id}", file=sys.stderr, flush=True)  # noqa: T201 - it takes a while
    return sorted(found, key=lambda each: (FINDINGS.index(each.finding), each.source_id))


def _in_turn(catalog: Catalog, chosen: set[str]) -> Iterator[str]:
    """Ids so that neighbours have different hosts as far as possible."""
    by_host: dict[str, list[str]] = {}
    for view in source_views(catalog):
        if not chosen or view.source_id in chosen:
            by_host.setdefault(view.host, []).append(view.source_id)
    while by_host:
        for host in list(by_host):
            yield by_host[host].pop(0)
            if not by_host[host]:
                del by_host[host]


def findings_text(checks: Sequence[SourceCheck]) -> str:
    """A line for each source that is not as it was, then how many there are of each finding."""
    lines = []
    for check in checks:
        if check.finding in ("same", "skipped"):
            continue
        detail = f" ({check.detail})" if check.detail else ""
        lines.append(f"{check.finding}: {check.source_id}: {check.url}{detail}\n")
        lines += [f"    not found: {quote}\n" for quote in check.missing]
    counts = Counter(check.finding for check in checks)
    listed = ", ".join(f"{counts[finding]} {finding}" for finding in reversed(FINDINGS) if counts[finding])
    return "".join(lines) + f"{listed or 'no sources'}\n"


def findings_json(checks: Sequence[SourceCheck]) -> str:
    """Every source, for programs."""
    rows = [
        {"source": each.source_id, "finding": each.finding, "url": each.url, "detail": each.detail,
         "missing": list(each.missing)}
        for each in checks
    ]  # fmt: skip
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def findings_markdown(checks: Sequence[SourceCheck]) -> str:
    """What somebody has to look at, for an issue; empty where nothing is."""
    parts = []
    for finding in TO_LOOK_AT:
        found = [check for check in checks if check.finding == finding]
        if not found:
            continue
        parts.append(f"## {finding}: {len(found)}\n\n")
        for check in found:
            detail = f" ({code(check.detail)})" if check.detail else ""
            link = markdown_link(check.source_id, f"sources/{check.source_id}/", "en")
            parts.append(f"- [ ] {link}: {code(check.url)}{detail}\n")
            parts += [f"  - not found: {code(quote)}\n" for quote in check.missing]
        parts.append("\n")
    return "".join(parts)


def as_text(found: Quality) -> str:
    """The numbers as tables."""
    counts, values, sources = found.counts, found.counts["values"], found.counts["sources"]
    named = [[name, f"{counts[name]:,}"] for name in counts]
    kinds = [["values by kind", "", ""], *(_share(name, number, values) for name, number in found.by_kind.items())]
    backing = {"several": "several sources", "one": "one source", "none": "a reason alone"}
    kinds += [_share(backing[name], number, values) for name, number in found.backed.items()]
    kinds += [_share("contradicted by a source", len(found.conflicts), values)]
    kinds += [_share("read in copies alone", found.copy_only, values)]
    kinds += [_share("from unread sources alone", len(found.unread_only), values)]
    access = [
        ["sources by access", "", ""],
        *(_share(name, number, sources) for name, number in found.by_access.items()),
    ]
    access += [_share("give no value", len(found.unused), sources)]
    days = [[name, str(day or "never")] for name, day in _days(found).items()]
    gaps = [
        ["left out", "", ""],
        *(_share(f"{gap.record_kind}: {gap.field}", len(gap.missing), gap.of) for gap in found.gaps),
    ]
    tables = (named, kinds, access, days, gaps)
    return "\n".join(table(rows, right=range(1, len(rows[0]))) for rows in tables) + "\n" + _lists(found)


def _share(name: str, number: int, of: int) -> list[str]:
    return [f"  {name}", f"{number:,}", f"{number / of:.1%}" if of else "–"]


def _days(found: Quality) -> dict[str, Any]:
    return {"first read": found.first_read, "median": found.median_read, "last read": found.last_read}


def _lists(found: Quality) -> str:
    named = {
        "unread": found.unread,
        "give no value": found.unused,
        "contradicted": tuple(f"{value.record_id}: {value.field}" for value in found.conflicts),
    }
    lines = []
    for name, ids in named.items():
        if ids:
            more = f", … ({len(ids)} in all)" if len(ids) > LISTED else ""
            lines.append(f"{name}: {', '.join(ids[:LISTED])}{more}\n")
    return "\n".join(lines)


def as_json(found: Quality) -> str:
    """All numbers, for programs; lists in full."""
    body = {
        "counts": dict(found.counts),
        "values_by_kind": dict(found.by_kind),
        "values_by_backing": dict(found.backed),
        "values_contradicted": [f"{value.record_kind}/{value.record_id}:{value.field}" for value in found.conflicts],
        "values_from_copies_alone": found.copy_only,
        "values_from_unread_sources_alone": len(found.unread_only),
        "sources_by_access": dict(found.by_access),
        "sources_unread": list(found.unread),
        "sources_without_a_value": list(found.unused),
        "sources_read_longest_ago": list(found.oldest),
        "read": {name: str(day) if day else None for name, day in _days(found).items()},
        "left_out": [
            {"kind": gap.record_kind, "field": gap.field, "records": list(gap.missing), "of": gap.of}
            for gap in found.gaps
        ],
        "models_without_a_verdict": {name: list(models) for name, models in found.unjudged.items()},
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
