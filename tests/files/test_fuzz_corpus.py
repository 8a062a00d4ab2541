"""Every parser of what strangers make, on the inputs that fuzzing kept and on some changed by chance.

``scripts/fuzz`` looks for more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import fuzz_targets
from changed_inputs import CORPUS, changed, kept_inputs
from fuzz_targets import TARGETS, refused

CHANGES = 150  # of each target's inputs together


@pytest.fixture(autouse=True, scope="module")
def _stop() -> Iterator[None]:
    yield
    fuzz_targets.stop()


def test_every_target_has_a_corpus() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_what_fuzzing_kept_is_read_or_refused(name: str) -> None:
    kept = kept_inputs(name)
    reasons = [refused(TARGETS[name], data) for data in kept]
    assert "" in reasons  # some are good, so that more than the first check is reached
    chance = random.Random(name)  # noqa: S311 (the same changes in every run)
    for _ in range(CHANGES):
        refused(TARGETS[name], changed(chance, kept))
