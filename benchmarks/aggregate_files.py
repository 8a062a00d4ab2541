"""How large files of aggregates are, and how long they take. ``python benchmarks/aggregate_files.py``."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import ldprange as ldp

_CASES = [(22, 10**3), (22, 10**4), (22, 10**5), (22, 10**6), (10, 10**6), (10, 10**8)]
_BAR_MEGABYTES = 100
"""For 10⁶ reports on 2²² bins."""


def seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    print("The default plan at ε = 1.1; people are spread evenly.")
    print(f"{'bins':>6} {'reports':>11} {'counters':>12} {'megabytes':>11} {'save, s':>9} {'load, s':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.agg"
        for bits, people in _CASES:
            domain = ldp.Domain.integers(0, (1 << bits) - 1)
            plan = ldp.choose_plan(domain, epsilon=1.1, expected_users=10**6)
            evenly = np.diff(np.arange(domain.bins + 1) * people // domain.bins)
            total = ldp.simulate(plan, evenly, seed=1)
            saving, loading = seconds(partial(total.save, path)), seconds(partial(ldp.Aggregate.load, path))
            megabytes = path.stat().st_size / 1e6
            bar = f"  (bar: {_BAR_MEGABYTES})" if (bits, people) == (22, 10**6) else ""
            print(
                f"{f'2^{bits}':>6} {people:>11,} {plan.counters:>12,} {megabytes:>11,.3f} "
                f"{saving:>9.2f} {loading:>9.2f}{bar}",
                flush=True,
            )
