"""The compiled kernels are the NumPy ones: same results, same coins, same errors, whatever the threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from kernel_twins import Kernels, both_twins, compiled, needs_compiled, transformed
from ldprange.kernels import numpy_kernels
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import Boxes, JointFit
from ldprange.noise import Law, Noise
from ldprange.randomness import generator

MERSENNE = (7, 13, 17, 19, 31)
seeds = st.integers(0, 2**32)
lengths = st.one_of(st.integers(0, 20), st.sampled_from([2047, 2048, 2049, 4096, 4097, 5001]))
thresholds = st.lists(st.integers(0, 2**32), max_size=20).map(sorted).map(tuple)


def same(work: Callable[[Kernels, np.random.Generator], Any], seed: int) -> None:
    """Do it with either twin: the same comes out, and the generators are left at the same place."""
    for make in (generator, np.random.default_rng):  # SFC64, whose steps are compiled too, and another
        rngs = [make(seed), make(seed)]
        one, other = (work(twin, rng) for twin, rng in zip((numpy_kernels, compiled), rngs, strict=True))
        equal(one, other)
        assert rngs[0].integers(1 << 62) == rngs[1].integers(1 << 62)


def equal(one: Any, other: Any) -> None:
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for each, its_twin in zip(one, other, strict=True):
            equal(each, its_twin)
    else:
        assert one == other


@needs_compiled
@given(seed=seeds, length=lengths)
def test_words(seed: int, length: int) -> None:
    same(lambda twin, rng: [twin.seeded_words(rng, length), twin.seeded_words(rng, length)], seed)


@needs_compiled
@given(seed=seeds, length=lengths, levels=thresholds)
def test_levels(seed: int, length: int, levels: tuple[int, ...]) -> None:
    items = np.random.default_rng(seed).integers(0, 1 << 26, length)

    def work(twin: Kernels, rng: np.random.Generator) -> Any:
        chosen = twin.draw_levels(rng, length, levels)
        split = twin.split_by_level(items, chosen, len(levels) + 1)
        narrow = twin.split_by_level(items.astype(np.uint32)[::-1], chosen, len(levels) + 1)
        return chosen, split, narrow

    same(work, seed)


@needs_compiled
@given(seed=seeds, length=lengths, pairs=st.integers(0, 26), threshold=st.integers(0, 2**32 - 1))
def test_contrasts(seed: int, length: int, pairs: int, threshold: int) -> None:
    items = np.random.default_rng(seed).integers(0, 2 << pairs, length, dtype=np.uint32)
    same(lambda twin, rng: twin.encode_contrast(items, rng, 1 << pairs, threshold), seed)


@needs_compiled
@given(seed=seeds, length=lengths, bits=st.integers(1, 4), digits=st.integers(1, 6))
def test_hadamard_hashes(seed: int, length: int, bits: int, digits: int) -> None:
    lowest = sum(1 << (bits * digit) for digit in range(digits))
    index, items = np.random.default_rng(seed).integers(0, 1 << bits * digits, (2, length), dtype=np.uint32)
    same(lambda twin, _: twin.hash_hadamard(index, items, bits, lowest), seed)
    same(lambda twin, _: twin.hash_hadamard(index[:50], items[:7, None], bits, lowest), seed)


bounds = st.one_of(st.integers(1, 100), st.sampled_from([1 << 20, 5461, 2**31 + 1, 3 << 30, 2**32 - 1]))


@needs_compiled
@given(seed=seeds, length=lengths, bound=bounds)
def test_draws_below_a_bound(seed: int, length: int, bound: int) -> None:
    same(lambda twin, rng: [twin.draw_below(rng, length, bound), twin.draw_below(rng, 7, bound)], seed)


@needs_compiled
@given(seed=seeds, length=lengths, number=st.one_of(st.integers(2, 9), st.just(2**31 + 2)), data=st.data())
def test_responses(seed: int, length: int, number: int, data: st.DataObject) -> None:
    threshold = data.draw(st.integers(0, 2**32 - 1))
    symbols = np.random.default_rng(seed).integers(0, number, length, dtype=np.uint32)
    same(lambda twin, rng: [twin.respond(symbols, rng, number, threshold), symbols], seed)


@needs_compiled
@given(seed=seeds, length=lengths, bits=st.integers(1, 4), digits=st.integers(1, 7), data=st.data())
def test_hadamard_codes(seed: int, length: int, bits: int, digits: int, data: st.DataObject) -> None:
    threshold = data.draw(st.integers(0, 2**32 - 1))
    items = np.random.default_rng(seed).integers(0, 1 << bits * digits, length, dtype=np.uint32)
    same(lambda twin, rng: twin.encode_hadamard(items[::-1], rng, bits, digits, threshold), seed)


@needs_compiled
@given(seed=seeds, length=lengths, cells=st.one_of(st.integers(2, 9), st.integers(62, 70)), data=st.data())
def test_subsets(seed: int, length: int, cells: int, data: st.DataObject) -> None:
    size, threshold = data.draw(st.integers(1, cells - 1)), data.draw(st.integers(0, 2**32 - 1))
    items = np.random.default_rng(seed).integers(0, cells, length, dtype=np.uint32)
    same(lambda twin, rng: twin.encode_subset(items[::-1], rng, cells, size, threshold), seed)


@needs_compiled
@pytest.mark.parametrize(("cells", "size", "length"), [(1200, 300, 4097), (1 << 16, 9, 130)])
def test_subsets_of_many_cells_take_fewer_people_together(cells: int, size: int, length: int) -> None:
    items = np.random.default_rng(1).integers(0, cells, length, dtype=np.uint32)
    same(lambda twin, rng: twin.encode_subset(items, rng, cells, size, 1 << 31), 1)


@needs_compiled
@given(seed=seeds, length=lengths, outputs=st.sampled_from([1, 2, 3, 255, 2048, 2049, 70_000]))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_tallies(seed: int, length: int, outputs: int, dtype: type) -> None:
    most = min(outputs, np.iinfo(dtype).max)
    codes: Any = np.random.default_rng(seed).integers(0, most, length).astype(dtype)
    same(lambda twin, _: [twin.tally(codes, outputs), twin.tally(codes[::3], outputs)], seed)


@needs_compiled
@given(
    seed=seeds,
    rows=st.sampled_from([0, 1, 7, 254, 255, 256, 600]),
    cells=st.integers(1, 40),
    number=st.integers(1, 5),
)
def test_sums_of_bits(seed: int, rows: int, cells: int, number: int) -> None:
    rng = np.random.default_rng(seed)
    packed = np.packbits(rng.random((rows, cells)) < 0.7, axis=1, bitorder="little")
    groups = rng.integers(0, number, rows, dtype=np.uint32)
    same(lambda twin, _: [twin.sum_unary(packed, cells), twin.sum_unary(packed, cells, groups, number)], seed)


@needs_compiled
@given(
    seed=seeds,
    rows=st.sampled_from([0, 1, 7, 511, 512, 600]),
    exponent=st.sampled_from(MERSENNE),
    cells=st.integers(1, 120),
    number=st.integers(1, 5),
    data=st.data(),
)
def test_supports(seed: int, rows: int, exponent: int, cells: int, number: int, data: st.DataObject) -> None:
    prime, rng = (1 << exponent) - 1, np.random.default_rng(seed)
    symbols = data.draw(st.integers(2, max(2, min(1 << 16, prime // 32))))
    coefficients = rng.integers(0, prime, (3, rows), dtype=np.uint32)
    coefficients[:, ::5] = prime - 1  # the largest there are
    reported = rng.integers(0, symbols, rows, dtype=np.uint32)
    groups = rng.integers(0, number, rows, dtype=np.uint32)
    asked = (coefficients, reported, cells, exponent, symbols)
    same(lambda twin, _: [twin.sum_supports(*asked), twin.sum_supports(*asked, groups, number)], seed)


@needs_compiled
@pytest.mark.parametrize("bits", range(21))
def test_transforms(bits: int) -> None:
    rng = np.random.default_rng(bits)
    whole = rng.integers(-1000, 1000, 1 << bits).astype(np.float64)  # exact, in whatever order they are added
    equal(transformed(numpy_kernels, whole), transformed(compiled, whole))
    real = rng.standard_normal((3, 1 << bits))[::2]
    one, other = transformed(numpy_kernels, real), transformed(compiled, real)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-15 * (bits + 1) * 2 ** (bits / 2) * 4)


@needs_compiled
@pytest.mark.parametrize(("bits", "digits"), [(1, 1), (1, 9), (2, 1), (2, 5), (3, 3), (4, 2), (5, 1)])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_supports_of_hadamard_hashing(bits: int, digits: int, rows: int) -> None:
    codes = ((1 << bits * digits) - 1) // ((1 << bits) - 1) << bits
    counts = np.random.default_rng(bits).integers(0, 1000, (rows, codes))
    for cells in {1, (1 << bits * digits) - 1, 1 << bits * digits}:
        equal(
            numpy_kernels.hadamard_supports(counts, bits, digits, cells),
            compiled.hadamard_supports(counts, bits, digits, cells),
        )


@needs_compiled
def test_only_what_lies_in_one_piece_is_transformed() -> None:
    values = np.ones((4, 16)).T
    with pytest.raises(ValueError, match="in one piece"):
        compiled.walsh_hadamard(values)
    assert values.sum() == 64


@needs_compiled
@pytest.mark.parametrize("bits", [24, 25])
def test_transforms_of_many_passes(bits: int) -> None:
    at = 0x123457 % (1 << bits)
    values = np.zeros(1 << bits)
    values[at] = 1.0
    index = np.arange(1 << bits, dtype=np.uint32)
    compiled.walsh_hadamard(values)
    equal(values, 1.0 - 2.0 * numpy_kernels.parity(index & np.uint32(at)))


branchings = st.lists(st.integers(2, 5), max_size=4).map(tuple)
some_trees = st.lists(branchings, min_size=1, max_size=3).filter(
    lambda trees: prod(prod(tree) for tree in trees) <= 1 << 16
)


@needs_compiled
@given(seed=seeds, trees=some_trees, number=lengths, data=st.data())
def test_joint_variances(seed: int, trees: list[tuple[int, ...]], number: int, data: st.DataObject) -> None:
    rng, axes = np.random.default_rng(seed), [Axis(tree) for tree in trees]
    every = np.stack(np.meshgrid(*(range(axis.depth + 1) for axis in axes)), axis=-1).reshape(-1, len(axes))
    kept = rng.random(len(every)) < data.draw(st.sampled_from([0.3, 1.0]))
    kept[-1] = True
    depths = every[kept]
    held = data.draw(st.sampled_from([0.0, 1.0])) * rng.random(len(depths)) * (rng.random(len(depths)) < 0.8)
    noises = tuple(Noise(*each) for each in zip(rng.random(len(depths)) + 0.1, held, strict=True))
    table = JointFit(axes, depths, range(len(axes)), Law(10 ** rng.uniform(0, 6, len(depths)), noises))
    ends = [_some_ranges(rng, axis.bins, min(number, 300)) for axis in axes]
    less = [np.where(rng.random(low.size) < 0.5, 0.0, rng.random(low.size)) for low, _ in ends]
    variances = table.variances(_upto(rng, table.leaves))
    asked = Boxes([low for low, _ in ends], [high for _, high in ends], less)
    found = []
    for twin in (numpy_kernels, compiled):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ldprange.least_squares.table.joint_variances", twin.joint_variances)
            found.append(variances(asked))
    one, other = found
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-15 + 1e-11 * one.max(initial=0.0))


def _some_ranges(rng: np.random.Generator, bins: int, number: int) -> Any:
    """Return ranges of all kinds, a tenth of them empty and a tenth of them of everything."""
    low, high = np.sort(rng.integers(0, bins + 1, (2, number)), axis=0)
    low[::10] = high[::10]
    low[1::10], high[1::10] = 0, bins
    return low, high


def _upto(rng: np.random.Generator, bins: tuple[int, ...]) -> Any:
    shares = np.pad(rng.exponential(size=bins), [(1, 0)] * len(bins))
    for a in range(len(bins)):
        shares = np.cumsum(shares, axis=a)
    return shares / shares.max()


@needs_compiled
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "workers", lambda: threads)
    rng = np.random.default_rng(1)
    for outputs in (2, 5000):
        codes = rng.integers(0, outputs, 5_000_001, dtype=np.uint32)
        equal(numpy_kernels.tally(codes, outputs), compiled.tally(codes, outputs))
    whole = rng.integers(-9, 9, (3, 1 << 17)).astype(np.float64)
    equal(transformed(numpy_kernels, whole), transformed(compiled, whole))
    packed = rng.integers(0, 256, (30_000, 63), dtype=np.uint8)
    groups = rng.integers(0, 3, len(packed), dtype=np.uint32)
    equal(numpy_kernels.sum_unary(packed, 500, groups, 3), compiled.sum_unary(packed, 500, groups, 3))
    fields = rng.integers(0, 127, (3, 5_000), dtype=np.uint32)
    asked = (fields, fields[0] % 3, 127, 7, 3, groups[:5_000], 3)
    equal(numpy_kernels.sum_supports(*asked), compiled.sum_supports(*asked))
    low, high = _some_ranges(rng, 6, 1001)
    table = _small_table(rng)
    ends = [low, low // 2], [high, high // 2], [rng.random(1001), np.zeros(1001)]
    each = [
        compiled.joint_variances(*([x[q : q + 1] for x in part] for part in ends), *table)
        for q in range(1001)
    ]
    equal(np.concatenate(each), compiled.joint_variances(*ends, *table))


def _small_table(rng: np.random.Generator) -> Any:
    """Return what the variances of a table of 6 × 3 bins depend on."""
    return [(6, 2, 1), (3, 1)], _upto(rng, (6, 3)), *rng.random((4, 3, 2)), 9.0


@both_twins
def test_what_is_out_of_range_is_refused(kernels: Kernels) -> None:
    codes = np.arange(10, dtype=np.uint32)
    zeros = np.zeros(10, np.uint32)
    threads = np.zeros(1 << 22, np.uint32)
    threads[-1] = 9
    table, none = _small_table(np.random.default_rng(1)), [np.zeros(1)] * 2
    calls: list[Callable[[], object]] = [
        lambda: kernels.tally(codes, 9),
        lambda: kernels.tally(codes, 0),
        lambda: kernels.tally(threads, 9),
        lambda: kernels.split_by_level(zeros, codes.astype(np.uint8), 9),
        lambda: kernels.sum_supports(np.full((3, 10), 127, np.uint32), zeros, 5, 7, 3),
        lambda: kernels.sum_supports(np.zeros((3, 10), np.uint32), zeros + np.uint32(3), 5, 7, 3),
        lambda: kernels.sum_unary(np.zeros((10, 1), np.uint8), 5, codes, 9),
        lambda: kernels.encode_subset(codes, generator(1), 9, 3, 5),
        lambda: kernels.joint_variances(*np.array([[[0], [-1]], [[6], [3]]]), none, *table),
        lambda: kernels.joint_variances(*np.array([[[0], [2]], [[6], [1]]]), none, *table),
        lambda: kernels.joint_variances(*np.array([[[0], [0]], [[7], [3]]]), none, *table),
    ]
    for wrong in calls:
        with pytest.raises((ValueError, IndexError)):
            wrong()


@needs_compiled
def test_the_boundary_checks_every_size() -> None:
    import ldprange.kernels._compiled as _compiled

    state, words = np.zeros(4, np.uint64), np.zeros(8, np.uint32)
    edges, levels = np.zeros(2, np.uint64), np.zeros(8, np.uint8)
    bounds, counts = np.array([0, 8]), np.zeros((1, 5), np.int64)
    rows, columns, upto = np.array([6, 2, 1]), np.array([3, 1]), np.zeros((7, 4))
    ends, less, depths = [np.zeros((2, 1), np.int64)] * 2, np.zeros((2, 1)), [np.zeros((3, 2))] * 4
    _compiled.joint_variances(*ends, less, rows, columns, upto, *depths, 9.0, np.zeros(1), 1)  # all is right
    for call, arguments in (
        ("draw_words", (state[:3], words)),
        ("draw_levels", (state, np.zeros(300, np.uint64), levels)),
        ("draw_levels", (state, np.array([2, 1], np.uint64), levels)),
        ("choose_levels", (words, edges, levels[:7])),
        ("split_by_level", (words, levels[:7], words, bounds)),
        ("split_by_level", (words, levels, words[:7], bounds)),
        ("split_by_level", (words, levels, words, bounds[:1])),
        ("encode_contrast", (state, words, 3, 5, words)),
        ("encode_contrast", (state, words, 4, 5, words[:7])),
        ("hash_hadamard", (words, words[:7], 1, 1, words)),
        ("hash_hadamard", (words, words, 0, 1, words)),
        ("draw_below", (state, 0, words)),
        ("draw_below", (state[:3], 5, words)),
        ("respond", (state, 1, 5, words)),
        ("encode_hadamard", (state, words, 2, 3, 5, words[:7])),
        ("encode_hadamard", (state, words, 0, 3, 5, words)),
        ("encode_hadamard", (state, words, 2, 0, 5, words)),
        ("encode_hadamard", (state, words, 2, 16, 5, words)),
        ("encode_subset", (state, words, 9, 9, 5, 64, np.zeros((8, 2), np.uint8))),
        ("encode_subset", (state, words, 9, 0, 5, 64, np.zeros((8, 2), np.uint8))),
        ("encode_subset", (state, words, 9, 3, 5, 64, np.zeros((8, 1), np.uint8))),
        ("encode_subset", (state, words, 9, 3, 5, 64, np.zeros((7, 2), np.uint8))),
        ("encode_subset", (state, words, 9, 3, 5, 0, np.zeros((8, 2), np.uint8))),
        ("encode_subset", (state, words, 9, 3, 5, 5000, np.zeros((8, 2), np.uint8))),
        ("encode_subset", (state, words + np.uint32(9), 9, 3, 5, 64, np.zeros((8, 2), np.uint8))),
        ("sum_unary", (np.zeros((8, 2), np.uint8), counts[0], 1)),
        ("sum_unary_groups", (np.zeros((8, 2), np.uint8), words, counts)),
        ("sum_unary_groups", (np.zeros((7, 1), np.uint8), words, counts)),
        ("sum_unary_groups", (np.zeros((8, 1), np.uint8), words + np.uint32(1), counts)),
        ("walsh_hadamard", (np.zeros((1, 6)), 1)),
        ("hadamard_supports", (np.zeros((1, 19), np.int64), 2, 2, np.zeros((1, 16)), 1)),
        ("hadamard_supports", (np.zeros((1, 20), np.int64), 2, 2, np.zeros((1, 17)), 1)),
        ("hadamard_supports", (np.zeros((1, 20), np.int64), 2, 2, np.zeros((2, 16)), 1)),
        ("hadamard_supports", (np.zeros((1, 20), np.int64), 2, 16, np.zeros((1, 16)), 1)),
        ("walsh_hadamard", (np.zeros((1, 0)), 1)),
        ("sum_supports", (np.zeros((2, 8), np.uint32), words, bounds, 7, 3, counts, 1)),
        ("sum_supports", (np.zeros((3, 8), np.uint32), words, bounds, 32, 3, counts, 1)),
        ("sum_supports", (np.zeros((3, 8), np.uint32), words, bounds[:1], 7, 3, counts, 1)),
        ("joint_variances", (*ends, less, rows, columns, upto, *depths, 9.0, np.zeros(2), 1)),
        ("joint_variances", (*ends, less[:1], rows, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, less, rows[:2], columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, less, columns, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, less, rows + 1, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, less, rows, columns, upto[:6], *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, less, rows, columns, upto, *depths[:3], upto, 9.0, np.zeros(1), 1)),
        ("tally", (np.zeros(3, np.int64), np.zeros(3, np.int64), 1)),
    ):
        with pytest.raises((ValueError, TypeError)):
            getattr(_compiled, call)(*arguments)


REHEARSE = """
import hashlib
import numpy as np
import ldprange as ldp
from ldprange import kernels
digest = hashlib.sha256()
for decomposition, oracle in (
    (ldp.Haar(), ldp.HRR()),
    (ldp.Tree(4), ldp.HadamardHashing()),
    (ldp.Tree(3), ldp.OLH()),
    (ldp.Windows(), ldp.OUE()),
    (ldp.Windows(), ldp.SubsetSelection()),
    (ldp.Flat(), ldp.GRR()),
    (ldp.Tree(2), ldp.SubsetSelection()),
):
    plan = ldp.Plan(ldp.Domain.integers(-5, 94), 1.1, decomposition, oracle)
    people = np.random.default_rng(1).integers(-5, 95, 3000)
    digest.update(ldp.simulate_values(plan, people, seed=1).to_bytes())
    digest.update(ldp.simulate(plan, plan.domain.count(people), seed=2).to_bytes())
print(kernels.KIND, digest.hexdigest())
"""


def chosen(kind: str, code: str = REHEARSE) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LDPRANGE_KERNELS": kind}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


@needs_compiled
@pytest.mark.system
def test_a_seed_means_the_same_with_either() -> None:
    found = [chosen(kind).stdout.split() for kind in ("numpy", "compiled", "")]
    assert [kind for kind, _ in found] == ["numpy", "compiled", "compiled"]
    assert len({digest for _, digest in found}) == 1


@pytest.mark.system
def test_a_kind_that_is_not_there_is_refused() -> None:
    refused = chosen("fortran", "import ldprange")
    assert refused.returncode == 1
    assert "must be numpy or compiled" in refused.stderr


@pytest.mark.system
def test_without_the_compiled_ones_the_numpy_kernels_are_used() -> None:
    missing = "import sys; sys.modules['ldprange.kernels._compiled'] = None"
    found = chosen("", f"{missing}; from ldprange import kernels; print(kernels.KIND)")
    assert found.stdout == "numpy\n"


@pytest.mark.parametrize(("oracle", "decomposition"), [(ldp.HRR(), ldp.Haar()), (ldp.HRR(), ldp.Tree(4))])
def test_a_rehearsal_counts_what_encode_many_sends(oracle: ldp.HadamardHashing, decomposition: Any) -> None:
    plan = ldp.Plan(ldp.Domain.integers(3, 60), 1.1, decomposition, oracle)
    people = np.random.default_rng(1).integers(3, 61, 5001)
    sent = ldp.Aggregate.of(plan, ldp.encode_many(plan, people, seed=4))
    assert ldp.simulate_values(plan, people, seed=4) == sent
