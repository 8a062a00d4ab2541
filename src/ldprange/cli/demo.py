"""``ldprange demo``."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.cli.chart import draw_cdf
from ldprange.cli.command import command
from ldprange.cli.demo_population import MAX_MINUTES, commutes
from ldprange.cli.options import epsilon_option
from ldprange.cli.output import answers, console, facts
from ldprange.cli.summary import percent, plan_facts, prediction_facts
from ldprange.client.encoding import Client
from ldprange.domain import Domain
from ldprange.estimation import Estimate, estimate
from ldprange.planner import choose_plan
from ldprange.simulation import encode_many

_SEED = 7
_RANGES = ((0, 0), (1, 15), (16, 30), (31, 60), (61, MAX_MINUTES))
_PREFIXES = (20, 45)
_QUANTILES = (0.25, 0.5, 0.75, 0.9)


@command("ldprange demo", "ldprange demo --people 1000000 --epsilon 0.5")
@click.option("--people", type=click.IntRange(1, 10_000_000), default=200_000, help="How many people report.")
@epsilon_option(default=1.1, help="How much each of them reveals at most.")
def demo(people: int, epsilon: float) -> None:
    """See it all at work on a made-up population, without files or a server.

    How long do people travel to work? Everyone randomises their own answer; the ranges, prefixes and
    quantiles of all come out, with intervals, beside the truth that only this demonstration knows.
    """
    screen = console()
    plan = choose_plan(Domain.integers(0, MAX_MINUTES), epsilon=epsilon, expected_users=people)
    minutes = commutes(people)

    _heading(screen, "1. The plan, which everyone may read")
    screen.print("How long is your commute, in minutes?")
    screen.print(facts(plan_facts(plan) + prediction_facts(plan, plan.predict(people))))

    _heading(screen, "2. One person's report, as it leaves their device")
    report = Client(plan).encode(42)
    screen.print(f"A person who travels 42 minutes sends\n\n  {wire.pack(report).hex(' ')}\n")
    shift = "the windows' shift, " if plan.levels[report.level].shifts > 1 else ""
    screen.print(
        f"which is version, fingerprint, level, one report, {shift}and its code. Anyone else could have sent "
        f"the same, at most e^ε = {np.exp(min(epsilon, 700)):.3g} times more or less often."
    )

    _heading(screen, f"3. {people:,} people report, on two days")
    start = time.perf_counter()
    days = [
        wire.pack(encode_many(plan, part, seed=_SEED + day))
        for day, part in enumerate(np.array_split(minutes, 2))
    ]
    monday, tuesday = (Aggregate.of(plan, payload) for payload in days)
    both = monday + tuesday
    seconds = time.perf_counter() - start
    size = sum(map(len, days))
    screen.print(
        f"{both.reports:,} reports, {size / people:.2f} bytes each, encoded and counted in {seconds:.2f} s."
    )

    _heading(screen, "4. Answers, beside the truth")
    estimated = estimate(both)
    headings = ["of the people …", "truth", "answer", "95% interval", "holds"]
    screen.print(answers(headings, _rows(estimated, minutes)))

    _heading(screen, "5. The whole distribution")
    screen.print(draw_cdf(estimated, width=screen.width, ascii_only=screen.options.ascii_only))


def _heading(screen: Console, text: str) -> None:
    screen.print()
    screen.print(text, style="bold")


def _rows(estimated: Estimate, minutes: NDArray[np.int64]) -> Iterator[tuple[str, ...]]:
    one_decimal = partial(percent, digits=1)
    for low, high in _RANGES:
        what = "work at home" if high == 0 else f"travel {low} to {high} minutes"
        share = np.mean((minutes >= low) & (minutes <= high))
        yield _row(what, share, estimated.range(low, high), one_decimal)
    for bound in _PREFIXES:
        share = np.mean(minutes <= bound)
        yield _row(f"travel at most {bound} minutes", share, estimated.prefix(bound), one_decimal)
    for q in _QUANTILES:
        truth = int(np.quantile(minutes, q, method="inverted_cdf"))
        yield _row(f"{100 * q:g}% travel at most … minutes", truth, estimated.quantile(q), str)


def _row(what: str, truth: Any, found: Answer[Any], text: Callable[[Any], str]) -> tuple[str, ...]:
    low: Any = found.low
    high: Any = found.high
    holds = "yes" if low <= truth <= high else "no"
    return what, text(truth), text(found.value), f"{text(low)} to {text(high)}", holds
