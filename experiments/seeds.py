"""A seed for every run: its own name, digested. So runs are independent, and each can be done again alone."""

from __future__ import annotations

import hashlib


def seed_of(name: tuple[object, ...]) -> int:
    """Return the seed that belongs to a run's name.

    >>> seed_of(("TreeOUE4", 256, 0))
    2665631451050420327
    """
    return int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:8], "little")
