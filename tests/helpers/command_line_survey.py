"""A survey by way of the command line: running commands, and making the files they work on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from ldprange.cli.group import commands

PEOPLE = 20_000
COMMUTE = (
    *("--question", "Minutes to work?", "--unit", "minutes"),
    *("--low", "0", "--high", "120", "--epsilon", "1"),
)
"""The options of a new survey."""


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments], input=stdin)


def done(*arguments: str | Path, stdin: str | bytes | None = None) -> str:
    """Run a command that must succeed, and return its standard output."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def answered(*arguments: str | Path) -> Any:
    """Run a command with --json, whose standard output must be one JSON object."""
    return json.loads(done(*arguments, "--json"))


def ages(people: int = PEOPLE) -> list[int]:
    drawn = np.random.default_rng(5).normal(40, 18, people)
    rounded: list[int] = np.clip(drawn, 0, 119).astype(int).tolist()
    return rounded


def make_survey() -> None:
    """Put a plan, people, their reports and an aggregate into the working directory."""
    rows = "".join(f"p{i},{age}\n" for i, age in enumerate(ages()))
    Path("people.csv").write_text("name,age\n" + rows)
    done("plan", "--low", "0", "--high", "119", "--epsilon", "1.1", "-o", "ages.plan.json")
    done("encode", "ages.plan.json", "people.csv", "--column", "age", "-o", "reports.parquet", "--seed", "1")
    done("aggregate", "ages.plan.json", "reports.parquet", "-o", "monday.agg")


def fact(text: str, name: str) -> str:
    """Return what a line of facts says."""
    (line,) = (line for line in text.splitlines() if line.startswith(f"{name}  "))
    return line.removeprefix(name).strip()
