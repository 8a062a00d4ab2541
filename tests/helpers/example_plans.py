"""A plan of every kind, reports to it, and every kind of file that holds them."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp

AGES = ldp.Domain.integers(0, 119)
SUFFIXES = ["parquet", "csv", "reports"]
PLANS = {
    "GRR": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.GRR()),
    "OUE": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.OUE()),
    "OLH": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.OLH()),
    "HRR": ldp.Plan(ldp.Domain.integers(0, 999), 1.1, ldp.Haar(), ldp.HRR()),
    "Hadamard": ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.HadamardHashing(bits=3)),
    "Subset": ldp.Plan(AGES, 1.1, ldp.Tree(10), ldp.SubsetSelection()),
    "Windows": ldp.Plan(AGES, 1.1, ldp.Windows(), ldp.HadamardHashing()),
    "Windows, subsets": ldp.Plan(
        AGES,
        1.1,
        ldp.Windows(),  # of 64 bins, of 32, and so on
        [*[ldp.SubsetSelection()] * 4, *[ldp.HadamardHashing()] * 3],
    ),
    "mixed": ldp.Plan(AGES, 1.1, ldp.Tree(10), [ldp.GRR(), ldp.OLH()]),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
every_suffix = pytest.mark.parametrize("suffix", SUFFIXES)


def batch_of(plan: ldp.Plan, people: int = 500, seed: int = 1) -> ldp.Batch:
    values = np.random.default_rng(seed).integers(0, plan.domain.bins, people)
    return ldp.encode_many(plan, values, seed=seed)


def payloads_of(batch: ldp.Batch, version: int = 1) -> list[bytes]:
    """Return every report of a batch packed on its own."""
    payloads = []
    for level, column in enumerate(batch.columns):
        for place in range(len(column)):
            columns = [each[:0] for each in batch.columns]
            columns[level] = column[place : place + 1]
            payloads.append(ldp.wire.pack(ldp.Batch(batch.plan, columns), version=version))
    return payloads
