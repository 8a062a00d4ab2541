"""The client: the operating system's coins and no others, no seed, and no silent clip."""

from __future__ import annotations

import inspect
import os
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from example_kinds import ORACLES
from ldprange.client import encoding as client_module
from ldprange.client.encoding import encode_with
from ldprange.decompositions import Decomposition
from ldprange.oracles import Oracle
from ldprange.randomness import WORDS, SystemCoins
from scripted_coins import ScriptedCoins, choosing


class ScriptedSystem:
    """Stands in for ``os.urandom``: the same bytes in every run, and a record of every read."""

    def __init__(self, name: str = "bytes") -> None:
        self.name = name
        self.reads: list[bytes] = []

    def __call__(self, size: int) -> bytes:
        data, block = b"", 0
        while len(data) < size:
            data += sha256(f"{self.name} {len(self.reads)} {block}".encode()).digest()
            block += 1
        self.reads.append(data[:size])
        return data[:size]

    def words(self) -> list[list[int]]:
        return [np.frombuffer(read, "<u4").tolist() for read in self.reads]


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> ScriptedSystem:
    scripted = ScriptedSystem()
    monkeypatch.setattr(os, "urandom", scripted)
    return scripted


def _plan(oracle: Oracle, decomposition: Decomposition | None = None, bins: int = 100) -> ldp.Plan:
    return ldp.Plan(ldp.Domain.integers(0, bins - 1), 1.1, decomposition or ldp.Haar(), oracle)


every_oracle = pytest.mark.parametrize("oracle", [*ORACLES.values(), ldp.HRR()], ids=str)


def test_nothing_on_the_client_takes_a_seed() -> None:
    members: list[Any] = [ldp.Client, *(getattr(ldp.Client, name) for name in dir(ldp.Client))]
    members += [value for value in vars(client_module).values() if inspect.isfunction(value)]
    checked = 0
    for member in members:
        if inspect.isfunction(member) or member is ldp.Client:
            checked += 1
            for name in inspect.signature(member).parameters:
                assert not any(word in name for word in ("seed", "rng", "generator", "state"))
    assert checked >= 4
    assert list(inspect.signature(ldp.Client).parameters) == [
        "plan",
        "ledger",
        "survey",
        "max_epsilon",
        "fingerprint",
    ]
    assert list(inspect.signature(ldp.Client.encode).parameters) == ["self", "value", "person"]
    assert not hasattr(ldp, "encode_with")  # only the published vectors bring their own coins


@every_oracle
def test_the_operating_system_decides_everything(monkeypatch: pytest.MonkeyPatch, oracle: Oracle) -> None:
    client = ldp.Client(_plan(oracle))

    def reports(name: str) -> list[ldp.Report]:
        monkeypatch.setattr(os, "urandom", ScriptedSystem(name))
        return [client.encode(value) for value in range(100)]

    assert reports("one") == reports("one")
    assert reports("one") != reports("another")


@pytest.mark.parametrize("oracle", [ldp.GRR(), ldp.OLH(), ldp.HRR(), ldp.HadamardHashing()], ids=str)
def test_words_are_read_in_order_lowest_byte_first(system: ScriptedSystem, oracle: Oracle) -> None:
    client = ldp.Client(_plan(oracle))
    for value in range(100):
        system.reads.clear()
        report = client.encode(value)
        words = [word for read in system.words() for word in read]
        assert report == encode_with(client, value, ScriptedCoins(words))


def test_unary_encoding_reads_one_word_per_cell_at_once(system: ScriptedSystem) -> None:
    client = ldp.Client(_plan(ldp.OUE(), ldp.Flat(), bins=5000))
    report = client.encode(1234)
    assert [len(read) for read in system.reads] == [4 * 5000]
    assert report == encode_with(client, 1234, ScriptedCoins(system.words()[0]))


@pytest.mark.parametrize("bins", [2, 100, 1 << 16, 1 << 20])
@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Haar(), ldp.Tree(4)], ids=["Flat", "Haar", "Tree"])
def test_an_hrr_report_takes_at_most_two_reads(
    system: ScriptedSystem, decomposition: Decomposition, bins: int
) -> None:
    client = ldp.Client(_plan(ldp.HRR(), decomposition, bins))
    for value in range(0, bins, max(1, bins // 200)):
        system.reads.clear()
        client.encode(value)
        assert 1 <= len(system.reads) <= 2


@every_oracle
def test_every_report_has_fresh_coins(system: ScriptedSystem, oracle: Oracle) -> None:
    client = ldp.Client(_plan(oracle))
    for number in range(5):
        client.encode(42)
        assert len(system.reads) > number  # nothing is left over from one report for the next
    assert len(set(system.reads)) == len(system.reads)


def test_system_coins_hand_out_every_word_once(system: ScriptedSystem) -> None:
    coins = SystemCoins()
    taken = [coins.word() for _ in range(40)]
    assert taken == [word for read in system.words() for word in read][:40]
    assert coins.words(7).tolist() == system.words()[-1]


@pytest.mark.parametrize("value", [-1, 100, 5.5, "5", None, True, float("nan"), [5]])
def test_a_value_outside_the_domain_is_an_error_and_costs_no_coin(system: ScriptedSystem, value: Any) -> None:
    with pytest.raises(ldp.DomainError, match=r"must .*got"):
        ldp.Client(_plan(ldp.HRR())).encode(value)
    assert system.reads == []


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (ldp.Domain.integers(-5, 5), np.int64(-5)),
        (ldp.Domain.real(0.0, 1.0, 10), 1.0),
        (ldp.Domain.logarithmic(1.0, 100.0, 10), 100),
        (ldp.Domain.dates("2026-01-01", "2026-01-31"), "2026-01-31"),
        (ldp.Domain.ordered(["XS", "S", "M"]), "M"),
    ],
)
def test_every_kind_of_domain_can_be_reported_on(domain: ldp.Domain, value: Any) -> None:
    plan = ldp.Plan(domain, 1.1, ldp.Haar(), ldp.HRR())
    assert ldp.Aggregate.of(plan, ldp.Client(plan).encode(value)).reports == 1


def test_a_level_is_chosen_by_its_share_of_the_words() -> None:
    plan = ldp.Plan(
        ldp.Domain.integers(0, 7), 1.1, ldp.Haar(), ldp.GRR(), level_probabilities=[0.25, 0.0, 0.75]
    )
    client = ldp.Client(plan)
    for word, level in [(0, 0), (WORDS // 4 - 1, 0), (WORDS // 4, 2), (WORDS - 1, 2)]:
        assert encode_with(client, 5, ScriptedCoins([word, 0])).level == level


def test_the_level_is_chosen_first_and_the_node_of_the_value_then_encoded() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 7), 1.1, ldp.Tree(2), ldp.GRR())
    client = ldp.Client(plan)
    for level, word in enumerate([0, WORDS // 2, WORDS - 1]):
        node = 5 >> (2 - level)
        truth = encode_with(client, 5, ScriptedCoins([word, 0]))
        assert (truth.level, truth.payload) == (level, bytes([node]))
        lie = encode_with(client, 5, ScriptedCoins([word, WORDS - 1, *choosing(0, 2 ** (level + 1) - 1)]))
        assert (lie.level, lie.payload) == (level, bytes([1 if node == 0 else 0]))


def test_a_plan_of_one_level_takes_no_coin_for_it() -> None:
    client = ldp.Client(_plan(ldp.GRR(), ldp.Flat(), bins=4))
    coins = ScriptedCoins([0])
    assert encode_with(client, 3, coins).payload == bytes([3])
    assert coins.left == 0
