"""The command line: every verb of the library has its twin here."""

import sys
from io import TextIOWrapper

from ldprange.cli.leaving import leave_at_once, leave_if_told
from ldprange.errors import MissingPackageError
from ldprange.support.optional import optional_packages

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal without ε gets a question mark, not a crash
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with optional_packages():
            from ldprange.cli.group import commands
    except MissingPackageError as error:  # without click: nothing else can be said for it
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    leave_at_once()
    try:
        commands(prog_name="ldprange")
    finally:
        leave_if_told()  # whatever became of the exit on its way here
