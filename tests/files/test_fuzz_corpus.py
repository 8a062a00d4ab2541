"""Every parser of what strangers make, on the inputs that fuzzing kept and on some changed by chance.

``scripts/fuzz`` looks for more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import fuzz_targets
from fuzz_targets import TARGETS, refused

CORPUS = Path(__file__).parents[2] / "fuzzing/corpus"
CHANGES = 150  # of each target's inputs together


@pytest.fixture(autouse=True, scope="module")
def _stop() -> Iterator[None]:
    yield
    fuzz_targets.stop()


def test_every_target_has_a_corpus() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_what_fuzzing_kept_is_read_or_refused(name: str) -> None:
    kept = [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]
    reasons = [refused(TARGETS[name], data) for data in kept]
    assert "" in reasons  # some are good, so that more than the first check is reached
    chance = random.Random(name)  # noqa: S311 (the same changes in every run)
    for _ in range(CHANGES):
        refused(TARGETS[name], _changed(chance, kept))


def _changed(chance: random.Random, kept: list[bytes]) -> bytes:
    """Return an input that is kept with a part taken out, put in from another, or changed by bits."""
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
