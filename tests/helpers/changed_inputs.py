"""Inputs of parsers that chance has changed: a part taken out, put in from another, or changed by bits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "fuzzing/corpus"


def kept_inputs(name: str) -> list[bytes]:
    """Return the inputs that the corpus keeps of the target of a ``name``."""
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


def changed(chance: random.Random, kept: Sequence[bytes]) -> bytes:
    """Return one of the inputs that are ``kept``, changed in one of four ways."""
    data, other = bytearray(chance.choice(kept)), chance.choice(kept)
    start = chance.randrange(len(data) + 1)
    way = chance.randrange(4)
    if way == 0:
        del data[start : start + chance.randrange(1, 9)]
    elif way == 1:
        data[start:start] = other[: chance.randrange(20)]
    elif way == 2:
        del data[start:]
    else:
        for _ in range(chance.randrange(1, 4)):
            if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)
