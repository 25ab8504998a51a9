"""`trainfit add model`: a model's file from the Hugging Face Hub or from a `config.json`."""

from __future__ import annotations

import argparse
import datetime
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from generator.architecture import Architecture, count_parameters
from generator.catalog import Catalog, load_finished
from generator.catalog.blanks import REQUIRED, blank_errors
from generator.catalog.draft import Names, Origin, draft, names_for
from generator.catalog.fields import ID_PATTERN, slug
from generator.catalog.hub import OFFICIAL, REPOSITORY, read_model
from generator.catalog.hugging_face import read_config, shape_of
from generator.catalog.loading import is_reserved
from generator.catalog.records import Model
from generator.catalog.weights import INDEX, SINGLE, stored_beside
from generator.catalog.yaml_positions import parse_document
from generator.catalog.yaml_text import yaml_text
from generator.commands.check import counted
from generator.commands.outcome import Outcome, Subparsers, UsageError, data_dir_of
from generator.errors import COMMAND, TrainfitError, UnknownIdError, UnsupportedArchitecture
from generator.site.messages import Messages
from generator.site.page import LANGUAGES

SCHEMA_LINE = "# yaml-language-server: $schema=../../../schemas/model.schema.json\n"
SUMMARIES = ("card", "config", "record", "weights")


class AddError(TrainfitError):
    """The file cannot be written, or the model is already there."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "add",
        parents=parents,
        help="write the file of a new model, with its sources and blanks for what only a person can read",
        description="Writes data/models/FAMILY/ID.yml from the Hugging Face Hub (two requests, pinned to a commit) or, "
        "without any request, from a config.json. What cannot be read there is left blank, and `trainfit check` says "
        "of each blank what to read and where.",
    )
    parser.add_argument("kind", choices=("model",), help="what to add")
    parser.add_argument("source", metavar="HF_ID|config.json", help="owner/name on the Hub, or a file or its folder")
    parser.add_argument(
        "--id", metavar="ID", type=record_id, help="id of the model (default: by the repository's name)"
    )
    parser.add_argument("--family", metavar="ID", type=record_id, help="folder below data/models (default: by the id)")
    parser.add_argument("--hugging-face", metavar="HF_ID", help="with a file: the repository that it is from")
    parser.add_argument("--revision", metavar="REV", help="branch, tag or commit; with a file: its commit")
    parser.add_argument("--read", metavar="DATE", type=day, help="day on which it was read (default: today)")
    parser.set_defaults(run=run)


def record_id(text: str) -> str:
    """An id; raises argparse.ArgumentTypeError."""
    if len(text) <= 80 and re.fullmatch(ID_PATTERN, text) and not is_reserved(text):
        return text
    raise argparse.ArgumentTypeError(f"expected lower-case ASCII letters and digits joined by - or ., found {text!r}")


def day(text: str) -> datetime.date:
    """A day as YYYY-MM-DD; raises argparse.ArgumentTypeError."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a date as YYYY-MM-DD, found {text!r}") from error


def run(arguments: argparse.Namespace) -> Outcome:
    """Writes the file and says what is left to do; raises AddError, HubError or UnsupportedArchitecture."""
    data_dir = data_dir_of(arguments)
    catalog = load_finished(data_dir)  # an unfinished draft does not keep anybody from the next one
    source = arguments.source.removeprefix(f"{OFFICIAL}/").rstrip("/")
    path = _file(source)
    if path is None and not REPOSITORY.fullmatch(source):
        _refuse_known(catalog, source, data_dir)
        raise UsageError(f"expected owner/name of a repository on the Hub or a config.json, found {source[:80]!r}")
    origin = _from_hub(arguments, source) if path is None else _from_file(arguments, path)
    _refuse_known(catalog, origin.repository, data_dir)
    where = str(path or f"{origin.repository}: config.json")
    shape = _shape(origin, where)
    stem = origin.repository.partition("/")[2] if origin.repository else _stem(arguments, path, origin.config)
    names = names_for(catalog, stem, arguments.id, arguments.family)
    if not re.fullmatch(ID_PATTERN, names.id) or is_reserved(names.id) or not re.fullmatch(ID_PATTERN, names.folder):
        raise UsageError(f"argument --id: expected an id, found none in the name {stem[:80]!r}")
    _refuse_known(catalog, names.id, data_dir)
    target = data_dir / "models" / names.folder / f"{names.id}.yml"
    try:
        text = SCHEMA_LINE + yaml_text(draft(origin, names, _summaries(names)))
    except UnsupportedArchitecture as error:
        raise UnsupportedArchitecture(f"{where}: {error}") from error
    shown = f"{data_dir.name}/models/{names.folder}/{names.id}.yml"
    _write(target, text, shown)
    said = (_blanks(text, shown), _counted(origin, shape), _twins(catalog, origin), _quantised(origin))
    return Outcome(f"wrote {shown}\n{''.join(said)}")


def _shape(origin: Origin, where: str) -> Architecture:
    try:
        return shape_of(origin.config)
    except UnsupportedArchitecture as error:
        raise UnsupportedArchitecture(f"{where}: {error}") from error


def _file(source: str) -> Path | None:
    """The file that is meant; none for a repository."""
    path = Path(source)
    if path.is_dir():
        return path / "config.json"
    return path if path.exists() or path.suffix == ".json" else None


def _from_hub(arguments: argparse.Namespace, repository: str) -> Origin:
    if arguments.hugging_face:
        raise UsageError("argument --hugging-face: expected it with a file alone")
    hub = read_model(repository, arguments.revision or "main")
    return Origin(hub.config, _read(arguments), hub.repository, hub.commit, hub)


def _from_file(arguments: argparse.Namespace, path: Path) -> Origin:
    if arguments.hugging_face and not REPOSITORY.fullmatch(arguments.hugging_face):
        raise UsageError(f"argument --hugging-face: expected owner/name, found {arguments.hugging_face[:80]!r}")
    if arguments.revision and not re.fullmatch(r"[0-9a-f]{7,40}", arguments.revision):
        raise UsageError(f"argument --revision: expected the commit of the file, found {arguments.revision[:80]!r}")
    config = read_config(path)
    stored = stored_beside(path, config)
    return Origin(config, _read(arguments), arguments.hugging_face, arguments.revision, stored=stored)


def _read(arguments: argparse.Namespace) -> datetime.date:
    day_given: datetime.date | None = arguments.read
    return day_given or datetime.datetime.now().astimezone().date()


def _stem(arguments: argparse.Namespace, path: Path | None, config: Any) -> str:
    """The name of a model of unknown origin: its id. Neither a file nor its folder says what a model is called."""
    chosen: str | None = arguments.id
    if chosen:
        return chosen
    named = config.get("_name_or_path") if isinstance(config, Mapping) else None
    if isinstance(named, str) and REPOSITORY.fullmatch(named):
        meant = f"--hugging-face {named}, which the file names"
    else:
        folder = path.absolute().parent.name if path is not None else ""
        guess = slug(path.stem if path is not None and path.stem != "config" else folder)
        meant = f"--id {guess}" if re.fullmatch(ID_PATTERN, guess) else "--id acme-7b"
    raise UsageError(
        "expected --hugging-face owner/name or --id with a file, which does not say what its model is called, found"
        f" neither (perhaps {meant})"
    )


def _refuse_known(catalog: Catalog, name: str | None, data_dir: Path) -> None:
    if name is None:
        return
    try:
        known = catalog.resolve_model(name)
    except UnknownIdError:
        return
    path = catalog.entries["model", known].document.path
    raise AddError(f"expected a model that is not in {data_dir.name}/ yet, found `{name}` as `{known}` in {path}")


def _summaries(names: Names) -> dict[str, dict[str, str]]:
    messages = {language: Messages(language) for language in LANGUAGES}
    return {
        kind: {language: words(f"added.{kind}", name=names.name) for language, words in messages.items()}
        for kind in SUMMARIES
    }


def _write(target: Path, text: str, shown: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        hint = f"--id chooses another id; a variant of the same shape goes into `hugging_face` of {shown} instead"
        raise AddError(f"{shown}: expected no such file yet, found one ({hint})") from error
    except OSError as error:
        raise AddError(f"{shown}: expected a place to write to, found {error.strerror or os.strerror(0)}") from error


def _blanks(text: str, shown: str) -> str:
    document, _ = parse_document(text.encode("utf-8"), shown)
    found = blank_errors(document, Model) if document else []
    lines = "".join(
        f"{each.path}:{each.line}: {each.field}: {each.message}{' (required)' * (each.hint == REQUIRED)}\n"
        for each in found
    )
    return f"{lines}{counted(len(found), 'blank')} to fill; then `{COMMAND} check`\n"


def _quantised(origin: Origin) -> str:
    """Says so where the checkpoint is a quantised copy: people train the original."""
    if not isinstance(origin.config, dict) or not origin.config.get("quantization_config"):
        return ""
    return "config.json has a quantization_config: if this is a quantised copy, add the original instead\n"


def _counted(origin: Origin, shape: Architecture) -> str:
    """What the count was compared with: one that follows from config.json alone always agrees with it."""
    total, elements = count_parameters(shape).total, origin.elements
    where = origin.stored.file if origin.stored else "the record of the Hub"
    if elements == total:
        return f"{total:,} parameters by config.json, as many as in the checkpoint by {where}\n"
    if elements is not None:
        return (
            f"{total:,} parameters by config.json, but {elements:,} in the checkpoint by {where}"
            f"{_another_vocabulary(shape, elements)}: see parameters.exact.conflicts in the file\n"
        )
    way = f"look at {INDEX} of the repository" if origin.hub else f"put {INDEX} or {SINGLE} beside the file"
    if origin.repository and not origin.hub:
        way += f", or ask the Hub: `{COMMAND} add model {origin.repository}`"
    return (
        f"{total:,} parameters by config.json alone: nothing else was there to check the count, and a wrong dimension"
        f" would not show ({way})\n"
    )


def _another_vocabulary(shape: Architecture, elements: int) -> str:
    """Says so where the difference is one of vocabularies: the dimension that config.json most often has wrong."""
    rows = 1 if shape.tied_embeddings or not shape.output_head else 2
    vocab = shape.vocab + (elements - count_parameters(shape).total) // (rows * shape.hidden)
    if vocab <= 0 or count_parameters(replace(shape, vocab=vocab)).total != elements:
        return ""
    return f", as with a vocabulary of {vocab:,} instead of {shape.vocab:,}"


def _twins(catalog: Catalog, origin: Origin) -> str:
    """Says which models have the same shape: the new one may be a variant of them."""
    shape = shape_of(origin.config)
    same = [model_id for model_id, model in catalog.models.items() if model.architecture.shape() == shape]
    if not same:
        return ""
    listed = ", ".join(f"`{each}`" for each in same)
    return f"same shape as {listed}: a variant of it belongs into its list hugging_face instead\n"
