"""Encoding and tallying stream: 2^28 users take the memory of 2^24. ``python benchmarks/memory.py``."""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np

import ldprange as ldp

CHUNK = 1 << 22


def peak(users: int) -> float:
    """Run one rehearsal in this process and return its greatest memory in MiB."""
    plan = ldp.Plan(ldp.Domain.integers(0, (1 << 16) - 1), 1.1, ldp.Haar(), ldp.HRR())
    chunks = (
        np.random.default_rng(i).integers(0, 1 << 16, CHUNK, dtype=np.uint16) for i in range(users // CHUNK)
    )
    total = ldp.simulate_values(plan, chunks, seed=1)
    assert total.reports == users  # noqa: S101 (a benchmark that lost users would mean nothing)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(peak(int(sys.argv[1])))
    else:
        few, many = (
            float(subprocess.check_output([sys.executable, __file__, str(1 << bits)])) for bits in (24, 28)
        )
        print(f"peak memory: 2^24 users {few:.0f} MiB, 2^28 users {many:.0f} MiB")
        print(f"ratio {many / few:.2f} (bar: 1)")
