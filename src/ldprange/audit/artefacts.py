"""What is shipped to randomise values, each as something that makes reports."""

from __future__ import annotations

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldprange import wire
from ldprange.audit.javascript import Runtime
from ldprange.client import Client
from ldprange.domain import Domain, Product
from ldprange.domain.text import plain
from ldprange.errors import LdprangeError
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.simulation import encode_many, reports_at_once

_BLOCK_BITS = 1 << 27  # of reports that are made together


@dataclass(frozen=True)
class Made:
    """Reports of one value, and the lengths in bytes that those of each level have on the wire."""

    batch: Batch
    lengths: frozenset[tuple[int, int]] = frozenset()


class Artefact(ABC):
    """Something that makes reports of a value."""

    name: str
    share_of_runs: int = 1  # it is slow: of so many runs it makes one
    most_bits: int  # of all reports of a value: where one is long, they are fewer

    @abstractmethod
    def make(self, plan: Plan, index: Any, runs: int) -> Made:
        """Return ``runs`` reports, under ``plan``, of the value of the bin ``index``."""

    def runs_for(self, plan: Plan, runs: int) -> int:
        """Return how many of ``runs`` this one makes under ``plan``, an even number."""
        bits = sum(
            share * mechanism.width * 8
            for share, mechanism in zip(plan.probabilities, plan.mechanisms, strict=True)
        )
        return 2 * max(1, int(min(runs / self.share_of_runs, self.most_bits / bits)) // 2)

    def blocks(self, plan: Plan, index: Any, runs: int) -> Iterator[Made]:
        """Yield what :meth:`make` makes in blocks that fit into memory."""
        widest = max(mechanism.width for mechanism in plan.mechanisms)
        together = max(1, min(reports_at_once(plan), _BLOCK_BITS // (8 * widest)))
        for done in range(0, runs, together):
            yield self.make(plan, index, min(together, runs - done))


class Rehearsal(Artefact):
    """``encode_many``: columns, with seeds that the operating system draws."""

    name = "encode_many"
    most_bits = 1 << 32

    def make(self, plan: Plan, index: Any, runs: int) -> Made:
        value = value_of(plan.domain, index)
        columns = (
            {name: np.full(runs, each) for name, each in value.items()}
            if isinstance(value, dict)
            else np.full(runs, value)
        )
        return Made(encode_many(plan, columns, seed=secrets.randbits(63)))


class PythonClient(Artefact):
    """``Client.encode``, as it runs on a person's device, and the bytes that it would send."""

    name = "Python client"
    share_of_runs = 20
    most_bits = 1 << 29

    def make(self, plan: Plan, index: Any, runs: int) -> Made:
        client, value = Client(plan), value_of(plan.domain, index)
        return _read(plan, [wire.pack(client.encode(value)) for _ in range(runs)])


class JavaScriptClient(Artefact):
    """The JavaScript client in a ``runtime``."""

    share_of_runs = 20
    most_bits = 1 << 27

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.name = runtime.name

    def make(self, plan: Plan, index: Any, runs: int) -> Made:
        value = plain_value(value_of(plan.domain, index))
        given = {"plan": json.loads(plan.to_json()), "values": [value], "runs": runs}
        return _read(plan, list(map(bytes.fromhex, self._runtime.do("reportsOf", given))))


def _read(plan: Plan, payloads: list[bytes]) -> Made:
    """Read reports as the collector does; one that it would refuse is an error."""
    batch, found = wire.unpack_many(plan, payloads)
    for refusal in found:
        if isinstance(refusal, LdprangeError):
            raise refusal
    return Made(batch, frozenset((wire.level_of(payload), len(payload)) for payload in payloads))


def value_of(domain: Domain, index: Any) -> Any:
    """Return a value in the bin ``index`` of ``domain``; of several attributes one for each, by name."""
    if isinstance(domain, Product):
        pairs = zip(domain.attributes.items(), index, strict=True)
        return {name: value_of(axis, place) for (name, axis), place in pairs}
    return domain.lower(int(index))


def plain_value(value: Any) -> Any:
    """Return a value in plain JSON types."""
    return {name: plain(each) for name, each in value.items()} if isinstance(value, dict) else plain(value)
