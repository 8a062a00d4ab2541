"""The compiled kernels are the NumPy ones: same results, same coins, same errors, whatever the threads."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_twins import Kernels, compiled, equal, needs_compiled, same, shares_upto, small_table, transformed
from ldprange.kernels import numpy_kernels
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import Boxes, JointFit
from ldprange.noise import Law, Noise

MERSENNE = (7, 13, 17, 19, 31)
seeds = st.integers(0, 2**32)
lengths = st.one_of(st.integers(0, 20), st.sampled_from([2047, 2048, 2049, 4096, 4097, 5001]))
thresholds = st.lists(st.integers(0, 2**32), max_size=20).map(sorted).map(tuple)


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


@needs_compiled
@given(seed=seeds, bits=st.integers(1, 4), digits=st.integers(1, 7))
def test_one_persons_symbol_is_that_of_many(seed: int, bits: int, digits: int) -> None:
    rng, lowest = np.random.default_rng(seed), ((1 << bits * digits) - 1) // ((1 << bits) - 1)
    lines, items = (rng.integers(0, bound, 50, dtype=np.uint32) for bound in (lowest, 1 << bits * digits))
    index = numpy_kernels.hadamard_index(lines, bits, digits)
    places = numpy_kernels.hadamard_scatter(items, bits, digits)
    many = numpy_kernels.hash_hadamard(index, places, bits, lowest).tolist()
    pairs = list(zip(lines.tolist(), items.tolist(), strict=True))
    for twin in (numpy_kernels, compiled):
        assert [twin.hash_to_symbol(*pair, bits, digits) for pair in pairs] == many


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


@pytest.mark.slow
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
    variances = table.variances(shares_upto(rng, table.leaves))
    asked = Boxes([low for low, _ in ends], [high for _, high in ends])
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
    table = small_table(rng)
    ends = [low, low // 2], [high, high // 2]
    each = [
        compiled.joint_variances(*([x[q : q + 1] for x in part] for part in ends), *table)
        for q in range(1001)
    ]
    equal(np.concatenate(each), compiled.joint_variances(*ends, *table))
