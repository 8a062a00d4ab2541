"""Every mistake that is made on purpose is noticed, and is on the page that tells of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mutants import JAVASCRIPT, PYTHON

ROOT = Path(__file__).parents[2]
ALL = PYTHON + JAVASCRIPT


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
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/helpers/run_mutants.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert f"{len(ALL)} of {len(ALL)} mutants were noticed" in done.stdout
