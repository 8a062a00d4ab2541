"""Denoised answers beside peers': populations, errors, and the command that prints ratios."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.many.queries import true_answers
from experiments.peers import one, several
from experiments.peers.__main__ import main


@pytest.mark.parametrize("name", one.POPULATIONS)
def test_people_of_one_attribute_are_all_there_and_the_same_every_time(name: str) -> None:
    counts = one.population(name, 64, 5000)
    assert counts.sum() == 5000
    assert counts.shape == (64,)
    np.testing.assert_array_equal(counts, one.population(name, 64, 5000))


@pytest.mark.parametrize("name", several.POPULATIONS)
def test_people_of_several_attributes_are_the_same_every_time_and_depend_on_one_another(name: str) -> None:
    people = several.population(name, 3, 5000)
    assert people.shape == (3, 5000)
    assert people.max() < several.BINS
    np.testing.assert_array_equal(people, several.population(name, 3, 5000))
    assert abs(np.cov(people[:2].astype(float))[0, 1]) > 1


def test_of_categories_one_is_asked_for_and_ours_knows_that_they_have_no_order() -> None:
    asked = several.asked("occupations", 3, 1)
    one_bin = asked.ends - asked.starts == 1
    np.testing.assert_array_equal(one_bin, asked.attributes == 0)
    people = several.population("occupations", 3, 20_000)
    found = several.METHODS["ldprange"](people, 20.0, asked, np.random.default_rng(1))
    np.testing.assert_allclose(found, true_answers(people, asked), atol=0.03)


def test_a_method_that_knows_all_has_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        one.METHODS, "told", one.of_shares(lambda counts, epsilon, rng: counts / counts.sum())
    )
    np.testing.assert_allclose(one.errors("told", "zipf", 32, 1000, 1.0, 0), 0, atol=1e-12)


def test_errors_are_those_of_all_ranges_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    even = one.of_shares(lambda counts, epsilon, rng: np.full(counts.size, 1 / counts.size))
    monkeypatch.setitem(one.METHODS, "even", even)
    found = one.errors("even", "zipf", 16, 1000, 1.0, 0)
    off = 1 / 16 - one.population("zipf", 16, 1000) / 1000
    ranges = [off[low:high].sum() ** 2 for low in range(16) for high in range(low + 1, 17)]
    below = np.append(0, np.cumsum(off))
    np.testing.assert_allclose(found, [np.mean(ranges), np.abs(below).mean(), np.abs(below).max()])


def test_the_command_prints_ratios_and_their_geometric_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(several, "POPULATIONS", ("normals",))
    monkeypatch.setattr(several, "METHODS", {name: several.METHODS[name] for name in ("ldprange", "HDG")})
    asked = [
        "--attributes",
        "2",
        "--users",
        "20000",
        "--epsilon",
        "1",
        "--repetitions",
        "2",
        "--workers",
        "1",
    ]
    found = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert found.exit_code == 0
    assert "2 attributes, 20,000 people" in found.output
    *_, row, mean = found.output.splitlines()
    ratio = row.split("|")[3].split("±")[0].strip()
    assert f"**{ratio}**" in mean
    assert float(ratio) < 1
