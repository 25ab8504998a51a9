"""The command `trainfit`: parses, calls, prints."""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Sequence

from generator.commands import accuracy, add, check, config, diff, estimate, fit, lock, schema, site, sources
from generator.commands.outcome import FAILURE, SUCCESS, USAGE, Outcome, UsageError
from generator.errors import CatalogErrors, TrainfitError
from generator.views.api import generator_version

COMMANDS = (site, check, lock, diff, add, sources, fit, estimate, config, accuracy, schema)
INTERRUPTED = 130
"""What a shell reports for a command ended by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status: 0 done, 1 failed, 2 wrong usage. Never raises."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a sign gets its number
            stream.reconfigure(errors="backslashreplace")
    parser = make_parser()
    arguments = parser.parse_args(argv)
    status = _run(parser, arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _run(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    try:
        outcome: Outcome = arguments.run(arguments)
        print(outcome.text, end="")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return SUCCESS
    except UsageError as error:
        used: argparse.ArgumentParser = getattr(arguments, "parser", parser)
        used.print_usage(sys.stderr)
        print(f"{used.prog}: error: {error}", file=sys.stderr)
        return USAGE
    except CatalogErrors as problem:
        print(check.as_text(problem.errors), end="", file=sys.stderr)
        return FAILURE
    except TrainfitError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILURE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, a user gets a line, not a traceback
        if arguments.debug:
            traceback.print_exc()
        else:
            text = " ".join(str(error).split())[:300]
            print(f"error: {type(error).__name__}: {text} (`--debug` shows where)", file=sys.stderr)
        return FAILURE
    return outcome.status


def make_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    parser = argparse.ArgumentParser(
        prog="trainfit", description="Which LLMs can be trained on which GPUs: cited data, computed verdicts."
    )
    parser.add_argument("--version", action="version", version=f"trainfit {generator_version()}")
    parser.set_defaults(data_dir=None, debug=False)
    _add_common(parser)
    common = argparse.ArgumentParser(add_help=False)
    _add_common(common)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(subparsers, [common])
    for subparser in subparsers.choices.values():
        subparser.set_defaults(parser=subparser)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    """Options that may stand before or after the command."""
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="read another folder than data/ (paths in messages start at its name)",
    )
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error arose")


if __name__ == "__main__":
    sys.exit(main())
