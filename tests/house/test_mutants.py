"""Every mistake that is made on purpose is noticed, and is on the page that tells of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import compiled_copy
from mutants import ALL, JAVASCRIPT, PYTHON, SAMPLED

ROOT = Path(__file__).parents[2]


def test_every_mutant_applies_once() -> None:
    for mutant in ALL:
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert text.count(mutant.old) == 1, (mutant.file, mutant.old)
        assert mutant.old != mutant.new


def test_the_page_tells_of_every_mutant() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")
    rows = [line.rsplit(" | ", 1)[0] for line in page.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{mutant.file}` | {mutant.wrong}" for mutant in ALL]


@pytest.mark.slow
@pytest.mark.system
def test_every_mutant_is_noticed() -> None:
    """Of those that must be compiled some: ``scripts/mutants`` runs them all."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/helpers/run_mutants.py"), "--sampled"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    number = len(PYTHON + JAVASCRIPT + (SAMPLED if compiled_copy.can_be_built() else ()))
    assert f"{number} of {number} mutants were noticed" in done.stdout
