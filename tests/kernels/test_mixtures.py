"""Means of parts of a mass: the compiled ones against NumPy's, and NumPy's against what they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from kernel_twins import compiled, needs_compiled
from ldprange.kernels import numpy_kernels

SPREADS = np.array([1 / 3, 1 / 27, 0.0])


PRECISION = 1e-3
"""How exact compiled means must be, as a part of the noise's deviation and of the parent; most 1e-5."""


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 600), st.floats(-28, 3), st.floats(0, 2), st.integers(0, 2))
@needs_compiled
def test_means_are_those_of_the_twin(seed: int, count: int, size: float, away: float, empty: int) -> None:
    rng = np.random.default_rng(seed)
    parent = rng.random(count) * (rng.integers(0, 3, count) >= empty)
    deviation = np.sqrt(10**size * rng.uniform(0.5, 1.0, count))
    value = parent * rng.random(count) + away * deviation * rng.normal(size=count)
    given_ = value, deviation**2, parent * rng.random(count), parent
    weights = rng.dirichlet(np.ones(4))
    one = numpy_kernels.mixture_means(*given_, SPREADS, weights)
    other = compiled.mixture_means(*given_, SPREADS, weights)
    assert np.all(np.abs(other - one) <= PRECISION * np.minimum(deviation, parent) + 1e-9 * parent)
    assert np.all((other >= 0) & (other <= parent))


@needs_compiled
@pytest.mark.parametrize("noise", [1e-30, 1e-12, 1e3])
def test_where_there_is_no_noise_a_mean_is_its_value_and_never_outside(noise: float) -> None:
    parent = np.repeat([0.0, 1e-12, 0.3, 1.0], 5)
    value = np.tile([-1e3, -1e-9, 0.5, 1.0, 1e3], 4)
    given_ = value, np.full(20, noise), parent / 2, parent
    found = compiled.mixture_means(*given_, SPREADS, np.full(4, 0.25))
    assert np.all((found >= 0) & (found <= parent))
    if noise == 1e-30:
        np.testing.assert_array_equal(found, np.clip(value, 0.0, parent))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 600), st.floats(1e-20, 1e3), st.floats(0.01, 5.0))
@needs_compiled
def test_weights_are_those_of_the_twin(seed: int, count: int, noise: float, counts: float) -> None:
    rng = np.random.default_rng(seed)
    parent = rng.random(count)
    centre = parent * rng.random(count)
    value = centre + rng.choice([0.0, 0.03, 0.3], count) * rng.normal(size=count)
    given_ = value, noise * rng.uniform(0.1, 1.0, count), centre, parent
    start = np.array([1.0, 1e-9, 1e-9, 1e-9])
    one = numpy_kernels.mixture_weights(*given_, SPREADS, start, counts, 30)
    other = compiled.mixture_weights(*given_, SPREADS, start, counts, 30)
    np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-12)
    assert abs(other.sum() - 1) < 1e-12


def test_weights_tell_what_splits_look_like() -> None:
    """Of parts of 1 that are 1/3 about a half, exactly even, or all or nothing, in known proportions."""
    rng = np.random.default_rng(1)
    kinds = rng.choice(3, 20_000, p=[0.2, 0.5, 0.3])
    part = np.choose(kinds, [rng.normal(0.5, 1 / 3, kinds.size), 0.5, rng.integers(0, 2, kinds.size)])
    noise = np.full(kinds.size, 1e-4)
    value = part + rng.normal(0.0, 1e-2, kinds.size)
    half, whole = np.full(kinds.size, 0.5), np.ones(kinds.size)
    spreads, start = np.array([1 / 3, 0.0]), np.full(3, 1e-9)
    found = numpy_kernels.mixture_weights(value, noise, half, whole, spreads, start, 1.0, 60)
    np.testing.assert_allclose(found, [0.2, 0.5, 0.3], atol=0.02)  # six standard errors


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 700), st.integers(0, 10), st.sampled_from([0.0, 0.3, 0.9]))
@needs_compiled
def test_blocks_are_split_as_by_the_twin(seed: int, bins: int, exponent: int, beyond: float) -> None:
    rng, width = np.random.default_rng(seed), 1 << exponent
    upto = np.append(0.0, np.cumsum(rng.normal(1 / bins, 1 / bins, bins)))
    mass, variance, half = (rng.random(bins + k * width - 1) for k in (2, 2, 1))
    blocks = numpy_kernels.Blocks(upto, mass, variance / bins, half / bins, width, bins - beyond, 1e-30)
    weights = rng.dirichlet(np.ones(4))
    one = numpy_kernels.split_blocks(blocks, SPREADS, weights)
    other = compiled.split_blocks(blocks, SPREADS, weights)
    noise, parent = np.zeros(mass.size), mass
    noise[width : width + bins - 1] = numpy_kernels.block_halves(blocks, slice(0, bins - 1, 1))[1]
    apart = PRECISION * np.minimum(np.sqrt(noise), parent) + 1e-9 * parent  # of a left half
    assert np.all(np.abs(other - one) <= (apart[width:] + apart[:-width]) / 2)


@pytest.mark.parametrize("value", [-0.1, 0.3, 0.9])
def test_a_mean_is_that_of_the_posterior(value: float) -> None:
    """By numerical integration over the normal part, and by hand over nothing and everything."""
    centre, parent, noise, spread, weights = 0.4, 0.8, 0.04, 0.05, np.array([0.7, 0.3])

    def likelihood(part: float) -> float:
        return float(stats.norm.pdf(value, part, noise**0.5))

    def prior(part: float) -> float:
        return float(stats.norm.pdf(part, centre, spread * parent))

    evidence = integrate.quad(lambda part: prior(part) * likelihood(part), 0, parent)[0]
    first = integrate.quad(lambda part: part * prior(part) * likelihood(part), 0, parent)[0]
    nothing, everything = weights[1] / 2 * likelihood(0.0), weights[1] / 2 * likelihood(parent)
    wanted = (weights[0] * first + everything * parent) / (weights[0] * evidence + nothing + everything)
    one, error, about, whole = (np.array([number]) for number in (value, noise, centre, parent))
    found = numpy_kernels.mixture_means(one, error, about, whole, np.array([spread]), weights)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@needs_compiled
@pytest.mark.parametrize("short", range(4))
def test_arrays_of_other_lengths_are_refused(short: int) -> None:
    given_ = [np.ones(3) for _ in range(4)]
    given_[short] = np.ones(2)
    with pytest.raises(ValueError, match="there must be"):
        compiled._compiled.mixture_means(*given_, SPREADS, np.ones(4), np.empty(3), 1)
    with pytest.raises(ValueError, match="there must be"):
        compiled._compiled.mixture_weights(*given_, SPREADS, np.ones(4), 1.0, 30, np.empty(4))
