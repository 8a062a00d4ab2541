"""Coins: those of what is shipped hold; seeded ones in their place do not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import ldprange as ldp
import ldprange.audit.coins as coins
from ldprange.audit.coins import check_javascript, check_python
from ldprange.audit.javascript import Node, find_browser, find_node, started
from ldprange.client import encoding
from ldprange.randomness import SystemCoins
from node_client import FOLDER, node_program
from scripted_coins import SeededCoins

pytestmark = pytest.mark.slow

PLAN = ldp.Plan(ldp.Domain.integers(0, 119), 1.0, ldp.Windows(), ldp.HadamardHashing())


def test_the_python_clients_coins_hold() -> None:
    checks = check_python(PLAN)
    assert [each for each in checks if not each.holds] == []
    assert len(checks) == 4


def test_a_seeded_generator_in_their_place_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    seeded = SeededCoins(1)
    monkeypatch.setattr(encoding, "SystemCoins", lambda: seeded)
    wrong = {each.what for each in check_python(PLAN) if not each.holds}
    assert wrong == {
        "each report is made by the operating system's coins alone",
        "processes share no coins after a fork",
    }


def test_a_fresh_but_constant_seed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "SystemCoins", lambda: SeededCoins(1))
    assert "threads share no coins" in {each.what for each in check_python(PLAN) if not each.holds}


def test_other_coins_beside_the_operating_systems_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mixed(SystemCoins):
        def __init__(self) -> None:
            super().__init__()
            drawn = self.word
            self.word = lambda: drawn() ^ random.getrandbits(32)  # that is what is wrong with it

    monkeypatch.setattr(encoding, "SystemCoins", Mixed)
    assert not check_python(PLAN)[0].holds


def test_a_process_of_its_own_makes_reports() -> None:
    made = coins._in_processes()
    assert len(set(made)) == len(made) == 2 * 2 * coins.RUNS


@pytest.mark.system
def test_the_javascript_clients_coins_hold_in_node_and_its_workers() -> None:
    with started(Node(node_program())) as node:
        assert not isinstance(node, str)
        assert [each for each in check_javascript(node, PLAN) if not each.holds] == []


@pytest.mark.system
def test_the_javascript_clients_coins_hold_in_a_browser_and_its_workers() -> None:
    with started(find_browser()) as browser:
        if isinstance(browser, str):
            pytest.skip(f"THE CLIENT IN A BROWSER WAS NOT AUDITED: {browser}")
        assert [each for each in check_javascript(browser, PLAN) if not each.holds] == []


@pytest.mark.system
@pytest.mark.parametrize(
    "instead",
    [
        "this.#pool.forEach((_, at) => (this.#pool[at] = Math.random() * 2 ** 32));",
        "this.#pool.forEach((_, at) => (this.#pool[at] = Math.imul(at + 1, 0x9e3779b1)));",
    ],
    ids=["Math.random", "a seed"],
)
def test_other_coins_in_javascript_are_caught(tmp_path: Path, instead: str) -> None:
    for file in FOLDER.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        if file.name == "coins.js":
            own = "globalThis.crypto.getRandomValues(this.#pool);"
            assert own in text
            text = text.replace(own, instead)
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    with started(Node(node_program(), tmp_path)) as node:
        assert not isinstance(node, str)
        assert not check_javascript(node, PLAN)[0].holds


def test_what_cannot_be_had_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert find_node() == "Node was not found"
    assert find_browser() == "no Chromium was found"
