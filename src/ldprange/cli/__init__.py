"""The command line: every verb of the library has its twin here."""

import signal
import sys
from io import TextIOWrapper
from types import FrameType

from ldprange.cli.group import commands

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal without ε gets a question mark, not a crash
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    # end as from an error, so that a file half written is taken away
    signal.signal(signal.SIGTERM, _leave)
    commands(prog_name="ldprange")


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
