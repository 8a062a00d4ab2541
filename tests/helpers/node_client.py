"""The JavaScript client in a Node process, and how to have it do things."""

from __future__ import annotations

import datetime
import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "clients" / "javascript"
OLDEST_NODE = 20  # the package runs on 18, but its tests use what came with 20


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"the JavaScript client was NOT tested: {name} is missing; install Node {OLDEST_NODE}")
    return found


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 (the same cases in every run)


def answers(node: str, task: str, cases: Sequence[Any]) -> list[Any]:
    """Have one Node process do a task for every case."""
    done = subprocess.run(
        [node, str(FOLDER / "support" / "answer_python.js")],
        input=json.dumps({"task": task, "cases": cases}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    assert len(found) == len(cases)
    return found


def as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value


def node_program() -> str:
    """Return the program, or skip the test loudly."""
    found = program("node")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(
            f"the JavaScript client was NOT tested: Node is {version}; install {OLDEST_NODE} or later"
        )
    return found
