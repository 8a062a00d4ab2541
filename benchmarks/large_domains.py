"""The plan chosen by default, on domains of any size: ``python benchmarks/large_domains.py [bits …]``.

Seconds on the clock, and of processors in brackets, for a million people at ε = 1.1; each question is the
first that an estimate is asked. The yardstick is a pass of e^x over 2^24 numbers in the same run: it tells
how fast, and how busy, the machine is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

import ldprange as ldp

SIZES = (7, 10, 12, 16, 20, 22)
PEOPLE, RANGES = 10**6, 10**5
BARS = {20: 1.0, 22: 3.0}
"""Seconds, for the estimate and for each first question; a plan may take a second on any domain."""

Result = TypeVar("Result")


def timed(what: str, work: Callable[[], Result], bar: float | None = None) -> Result:
    """Print how long ``work`` takes, and return what it gives."""
    clock, busy = time.perf_counter(), time.process_time()
    result = work()
    clock, busy = time.perf_counter() - clock, time.process_time() - busy
    print(f"  {what:<36} {clock:7.2f} s  ({busy:.2f})" + (f"   bar: {bar:g} s" if bar else ""), flush=True)
    return result


def measure(bins: int, bar: float | None) -> None:
    """Print all times for so many bins."""
    domain = ldp.Domain.integers(0, bins - 1)
    plan = timed(
        "choose a plan", lambda: ldp.choose_plan(domain, epsilon=1.1, expected_users=PEOPLE), bar=1.0
    )
    print(f"  {plan.layout.describe()}; {plan.counters:,} counters")
    rng = np.random.default_rng(1)
    values = np.clip(rng.normal(bins / 2, bins / 8, PEOPLE), 0, bins - 1).astype(np.int64)
    reports = timed("encode 10^6 reports", lambda: ldp.encode_many(plan, values, seed=1))
    aggregate = timed("tally", lambda: ldp.Aggregate.of(plan, reports))
    low, high = np.sort(rng.integers(0, bins, (2, RANGES)), axis=0)
    timed("estimate", lambda: ldp.estimate(aggregate), bar)
    questions: dict[str, Callable[[ldp.Estimate], object]] = {
        "one range with its interval": lambda estimate: estimate.range(bins // 5, bins // 2),
        f"{RANGES:,} ranges with intervals": lambda estimate: estimate.ranges(low, high),
        "simultaneous band": lambda estimate: estimate.cdf(band="simultaneous"),
        "99 quantiles with intervals": lambda estimate: estimate.quantiles(np.arange(1, 100) / 100),
    }
    for what, ask in questions.items():
        estimate = ldp.estimate(aggregate)
        timed(what, lambda ask=ask, estimate=estimate: ask(estimate), bar)  # type: ignore[misc]
    timed("estimate and denoise", lambda: ldp.estimate(aggregate, denoise=True), bar)


def yardstick() -> None:
    """Print how long a well-known piece of work takes."""
    print("yardstick:")
    timed("e^x of 2^24 numbers", lambda: np.exp(np.linspace(0.0, 1.0, 1 << 24)))


if __name__ == "__main__":
    yardstick()
    for bits in map(int, sys.argv[1:] or SIZES):
        print(f"D = 2^{bits}:")
        measure(1 << bits, BARS.get(bits))
    print("D = 2^26 - 5:")
    domain = ldp.Domain.integers(0, (1 << 26) - 6)
    timed("choose a plan", lambda: ldp.choose_plan(domain, epsilon=1.1, expected_users=PEOPLE), bar=1.0)
