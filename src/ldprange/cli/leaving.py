"""Leaving in order when the process is told to end (SIGTERM).

Leaving is an exception, which takes away files half written on its way. But Python drops exceptions that are
raised while it frees an object, and imports turn some into others. So that it came is also noted, and whoever
may have missed the exception asks here.
"""

import signal
import sys
from types import FrameType

_signals: list[int] = []  # that told us to end


def leave_at_once() -> None:
    """From now on leave, as from an error, when SIGTERM comes."""
    signal.signal(signal.SIGTERM, _leave)


def leave_when_asked() -> None:
    """From now on only note that SIGTERM came, for those who ask whether they are to end."""
    signal.signal(signal.SIGTERM, _note)


def told_to_leave() -> bool:
    """Return whether SIGTERM has come."""
    return bool(_signals)


def leave_if_told() -> None:
    """Leave now if SIGTERM has come, with the exit code that shells give a process which it ended."""
    if _signals:
        sys.exit(128 + _signals[0])


def _note(number: int, frame: FrameType | None) -> None:
    _signals.append(number)


def _leave(number: int, frame: FrameType | None) -> None:
    _note(number, frame)
    leave_if_told()
