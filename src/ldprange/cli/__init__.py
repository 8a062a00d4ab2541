"""The command line: every verb of the library has its twin here."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from ldprange.cli.group import commands

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal without ε gets a question mark, not a crash
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    commands(prog_name="ldprange")
