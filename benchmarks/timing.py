"""Whether the time that encoding takes tells of the value: ``python benchmarks/timing.py``.

For each oracle, on a level of few cells and of many, ratios of medians of the time that ``encode`` takes,
which should be 1: of reports that support the sender's own cell to those that do not (else time would
tell the truth from a lie), of the last cell to the first, and of a cell in the middle to the first. Cells
take turns. The last column is how much two halves of the same runs differ, which there is nothing to tell
between.
"""

from __future__ import annotations

import time

import numpy as np

from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, Mechanism, Oracle, SubsetSelection
from ldprange.randomness import SystemCoins
from ldprange.support.arrays import Floats

RUNS = 30_000
ORACLES: list[tuple[str, Oracle, tuple[int, ...]]] = [
    ("GRR", GRR(), (5, 1000)),
    ("OUE", OUE(), (5, 1000)),
    ("OLH", OLH(), (5, 1000)),
    ("HRR", HRR(), (5, 1000)),
    ("HadamardHashing", HadamardHashing(), (5, 1000)),
    ("SubsetSelection", SubsetSelection(), (5, 120)),
]


def timed(mechanism: Mechanism, cells: list[int]) -> tuple[list[Floats], list[bytes]]:
    """Return how many nanoseconds each encoding of each of ``cells`` took, and the reports of the first."""
    times, reports = np.empty((RUNS, len(cells))), []
    for run in range(RUNS):
        for step in range(len(cells)):
            place = (run + step) % len(cells)  # none is always the first
            coins = SystemCoins()
            coins.word()  # the pool is read, which a client has done by then to choose a level
            begin = time.perf_counter_ns()
            report = mechanism.encode(cells[place], coins)
            times[run, place] = time.perf_counter_ns() - begin
            if place == 0:
                reports.append(report)
    return list(times.T), reports


def main() -> None:
    """Print a line for each oracle and number of cells."""
    headings = ("cells", "median", "own/others", "last/first", "middle/first", "noise")
    print(f"{'oracle':16}" + "".join(f"{heading:>14}" for heading in headings))
    for name, oracle, sizes in ORACLES:
        for cells in sizes:
            mechanism = oracle.on(cells, 1.0)
            (first, last, middle), reports = timed(mechanism, [0, cells - 1, cells // 2])
            rows = np.frombuffer(b"".join(reports), np.uint8).reshape(RUNS, -1)
            own = mechanism.supporting(mechanism.unpack(rows), np.zeros(RUNS, np.uint32))
            typical, halves = np.median(first), [np.median(first[half::2]) for half in range(2)]
            ratios = [
                np.median(first[own]) / np.median(first[~own]),
                np.median(last) / typical,
                np.median(middle) / typical,
                abs(halves[0] / halves[1] - 1),
            ]
            print(f"{name:16}{cells:14}{typical:11.0f} ns" + "".join(f"{ratio:14.3f}" for ratio in ratios))


if __name__ == "__main__":
    main()
