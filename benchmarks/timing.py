"""Whether the time that encoding takes tells of the value: ``python benchmarks/timing.py``.

For each oracle, on a level of few cells and of many, ratios of medians of the time that ``encode`` takes,
which should be 1: of reports that support the sender's own cell to those that do not (else time would
tell the truth from a lie), of the last cell to the first, and of a cell in the middle to the first. Cells
take turns. The last column is how much two halves of the same runs differ, which there is nothing to tell
between. If Node is there, the same follows for the JavaScript client.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, Mechanism, Oracle, SubsetSelection
from ldprange.randomness import SystemCoins
from ldprange.support.arrays import Floats

RUNS = 30_000
EPSILON = 1.0
ORACLES: list[tuple[str, Oracle, int]] = [
    (name, oracle, cells)
    for name, oracle, sizes in [
        ("GRR", GRR(), (5, 1000)),
        ("OUE", OUE(), (5, 1000)),
        ("OLH", OLH(), (5, 1000)),
        ("HRR", HRR(), (5, 1000)),
        ("HadamardHashing", HadamardHashing(), (5, 1000)),
        ("SubsetSelection", SubsetSelection(), (5, 120)),
    ]
    for cells in sizes
]
IN_NODE = Path(__file__).parents[1] / "clients/javascript/support/time_encoding.js"


class Timed(NamedTuple):
    """Nanoseconds for the first cell, the last and one between; which reports of the first support it."""

    times: list[Floats]
    own: NDArray[np.bool_]


def python_times() -> Iterator[Timed]:
    """Yield the times of each of ``ORACLES`` in Python."""
    for _, oracle, cells in ORACLES:
        mechanism = oracle.on(cells, EPSILON)
        times, reports = _timed(mechanism, [0, cells - 1, cells // 2])
        rows = np.frombuffer(b"".join(reports), np.uint8).reshape(RUNS, -1)
        yield Timed(times, mechanism.supporting(mechanism.unpack(rows), np.zeros(RUNS, np.uint32)))


def _timed(mechanism: Mechanism, cells: list[int]) -> tuple[list[Floats], list[bytes]]:
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


def javascript_times(node: str) -> Iterator[Timed]:
    """Yield the times of each of ``ORACLES`` in JavaScript, by the program ``node``."""
    for _, oracle, cells in ORACLES:
        plan = ldp.Plan(ldp.Domain.integers(0, cells - 1), EPSILON, ldp.Flat(), oracle)
        case = {"oracle": plan.to_dict()["oracles"][0], "cells": cells, "epsilon": EPSILON}
        done = subprocess.run(
            [node, str(IN_NODE), str(RUNS)],
            input=json.dumps(case),
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        yield Timed([np.array(each, np.float64) for each in found["times"]], np.array(found["own"], bool))


def table(language: str, found: Iterator[Timed]) -> None:
    """Print a line for each oracle and number of cells."""
    headings = ("cells", "median", "own/others", "last/first", "middle/first", "noise")
    print(f"{language:16}" + "".join(f"{heading:>14}" for heading in headings))
    for (name, _, cells), ((first, last, middle), own) in zip(ORACLES, found, strict=True):
        typical, halves = np.median(first), [np.median(first[half::2]) for half in range(2)]
        ratios = [
            np.median(first[own]) / np.median(first[~own]),
            np.median(last) / typical,
            np.median(middle) / typical,
            abs(halves[0] / halves[1] - 1),
        ]
        line = f"{name:16}{cells:14}{typical:11.0f} ns" + "".join(f"{ratio:14.3f}" for ratio in ratios)
        print(line, flush=True)


def main() -> None:
    """Print the tables."""
    table("Python", python_times())
    if node := shutil.which("node"):
        print()
        table("JavaScript", javascript_times(node))


if __name__ == "__main__":
    main()
