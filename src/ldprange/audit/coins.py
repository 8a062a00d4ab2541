"""Whether the coins of what is shipped are the operating system's, and nobody else's.

Two things are seen from outside. If the operating system's generator says again what it said before, a
client must make the same report again: so it uses these coins and no others. And no two reports may be
alike, whoever makes them: processes, their children after a fork, threads, workers. A report of the plan
that this is tried on has far more than a hundred random bits; a pool of coins that two share, or a seed,
would show at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ldprange import wire
from ldprange.audit.artefacts import plain_value, value_of
from ldprange.audit.javascript import Runtime
from ldprange.client import Client
from ldprange.decompositions import Flat
from ldprange.domain import Domain
from ldprange.oracles import OUE, SubsetSelection
from ldprange.plan import Plan

RUNS = 64
"""How many reports each process, thread or worker makes."""

_VALUE = 77
_TRIED = [  # one oracle takes its coins in one read, the other word by word
    Plan(Domain.integers(0, 255), 0.5, Flat(), oracle) for oracle in (OUE(), SubsetSelection())
]
_IN_A_PROCESS = "from ldprange.audit.coins import _reports; print('\\n'.join(_reports()))"


@dataclass(frozen=True)
class CoinCheck:
    """A check of an ``artefact``: ``what`` must hold, and whether it ``holds``, or why it was ``not_run``."""

    artefact: str
    what: str
    holds: bool = False
    not_run: str = ""

    @property
    def verdict(self) -> str:
        """What was found, in a word, or why nothing was."""
        return f"not run: {self.not_run}" if self.not_run else ("holds" if self.holds else "WRONG")


def check_python(plan: Plan) -> list[CoinCheck]:
    """Return what holds of the Python client's coins, under ``plan`` and plans that show coins best."""
    name = "Python client"
    replays = all(_replays(each, _first(each)) for each in (plan, *_TRIED))
    checks = [CoinCheck(name, "each report is made by the operating system's coins alone", replays)]
    makers: dict[str, Callable[[], list[str]] | None] = {
        "fresh processes share no coins": _in_processes,
        "threads share no coins": _in_threads,
        "processes share no coins after a fork": _after_fork if hasattr(os, "fork") else None,
    }
    for what, make in makers.items():
        checks.append(
            CoinCheck(name, what, _all_differ(make()))
            if make
            else CoinCheck(name, what, not_run="this operating system does not fork")
        )
    return checks


def check_javascript(runtime: Runtime, plan: Plan) -> list[CoinCheck]:
    """Return what holds of the coins of the JavaScript client in a ``runtime``, in a worker too."""
    replays, made = True, list[str]()
    for each in (plan, *_TRIED):
        given = {
            "plan": json.loads(each.to_json()),
            "value": plain_value(_first(each)),
            "runs": RUNS,
        }
        for worker in (False, True, True):
            found = runtime.do("replayed", given, worker=worker)
            replays = replays and found["sent"] == found["again"] and min(found["read"]) > 0
            made += found["sent"] if each is not plan else []
    return [
        CoinCheck(runtime.name, "each report is made by the platform's coins alone", replays),
        CoinCheck(runtime.name, "page, process and workers share no coins", _all_differ(made)),
    ]


def _first(plan: Plan) -> Any:
    shape = plan.domain.shape
    return value_of(plan.domain, 0 if len(shape) == 1 else (0,) * len(shape))


def _replays(plan: Plan, value: Any) -> bool:
    """Say whether a client makes the same reports if the operating system's coins are the same again."""
    client, original, said = Client(plan), os.urandom, list[bytes]()

    def record(count: int) -> bytes:
        said.append(original(count))
        return said[-1]

    def repeat(count: int) -> bytes:
        word = said.pop(0) if said else b""
        return word if len(word) == count else original(count)

    for _ in range(RUNS):
        said.clear()
        try:
            os.urandom = record
            sent, read = client.encode(value), len(said)
            os.urandom = repeat
            again, left = client.encode(value), len(said)
        finally:
            os.urandom = original
        if sent != again or not read or left:
            return False
    return True


def _reports() -> list[str]:
    """Return reports that can only be alike if their coins are."""
    return [wire.pack(Client(plan).encode(_VALUE)).hex() for plan in _TRIED for _ in range(RUNS)]


def _all_differ(made: list[str]) -> bool:
    return len(set(made)) == len(made) > 0


def _in_processes() -> list[str]:
    command = [sys.executable, "-c", _IN_A_PROCESS]
    made = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]  # noqa: S603 (ours)
    return [report for each in made for report in each.stdout.split()]


def _in_threads() -> list[str]:
    with ThreadPoolExecutor(4) as pool:
        return [report for some in pool.map(lambda _: _reports(), range(4)) for report in some]


def _after_fork() -> list[str]:
    """Return reports of this process and of two children, which begin as it was after some reports."""
    made = _reports()
    for _ in range(2):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                with os.fdopen(writing, "w") as file:
                    file.write("\n".join(_reports()))
            finally:
                os._exit(0)  # whatever else the parent would do at its end is not this one's to do
        os.close(writing)
        with os.fdopen(reading) as file:
            made += file.read().split()
        os.waitpid(child, 0)
    return made + _reports()
