"""Intervals of quantiles: the table has a row for each population, and they hold."""

from __future__ import annotations

import re

from click.testing import CliRunner

from experiments.quantile_intervals import main, populations


def test_the_program_prints_a_row_for_each_population() -> None:
    """Of 25 intervals of a population each holds in 95% or more: 18 or fewer once in 10,000 times."""
    options = ["--surveys", "5", "--bins", "64", "--people", "2000", "--epsilon", "2"]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    for name in populations(64):
        (row,) = re.findall(rf"^\| {name} \| (.*) \|$", done.output, re.MULTILINE)
        *held, length = map(float, row.split(" | "))
        assert sum(held) / 20 > 18
        assert 1 <= length <= 64
