"""What a mutant is: a small mistake, made on purpose, that a cheap test must notice."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One mistake: an ``old`` text that stands once in a ``file``, a ``new`` one, and what is ``wrong``."""

    file: str
    old: str
    new: str
    wrong: str
