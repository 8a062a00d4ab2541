"""What would lead a kernel outside its arrays is refused before it begins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kernel_twins import Kernels, both_twins, needs_compiled, small_table
from ldprange.randomness import generator


@both_twins
def test_what_is_out_of_range_is_refused(kernels: Kernels) -> None:
    codes = np.arange(10, dtype=np.uint32)
    zeros = np.zeros(10, np.uint32)
    threads = np.zeros(1 << 22, np.uint32)
    threads[-1] = 9
    table = small_table(np.random.default_rng(1))
    calls: list[Callable[[], object]] = [
        lambda: kernels.tally(codes, 9),
        lambda: kernels.tally(codes, 0),
        lambda: kernels.tally(threads, 9),
        lambda: kernels.split_by_level(zeros, codes.astype(np.uint8), 9),
        lambda: kernels.sum_supports(np.full((3, 10), 127, np.uint32), zeros, 5, 7, 3),
        lambda: kernels.sum_supports(np.zeros((3, 10), np.uint32), zeros + np.uint32(3), 5, 7, 3),
        lambda: kernels.sum_unary(np.zeros((10, 1), np.uint8), 5, codes, 9),
        lambda: kernels.encode_subset(codes, generator(1), 9, 3, 5),
        lambda: kernels.joint_variances(*np.array([[[0], [-1]], [[6], [3]]]), *table),
        lambda: kernels.joint_variances(*np.array([[[0], [2]], [[6], [1]]]), *table),
        lambda: kernels.joint_variances(*np.array([[[0], [0]], [[7], [3]]]), *table),
    ]
    for wrong in calls:
        with pytest.raises((ValueError, IndexError)):
            wrong()


@needs_compiled
def test_the_boundary_checks_every_size() -> None:
    import ldprange.kernels._compiled as _compiled

    state, words = np.zeros(4, np.uint64), np.zeros(8, np.uint32)
    levels = np.zeros(8, np.uint8)
    bounds, counts = np.array([0, 8]), np.zeros((1, 5), np.int64)
    rows, columns, upto = np.array([6, 2, 1]), np.array([3, 1]), np.zeros((7, 4))
    ends, depths = [np.zeros((2, 1), np.int64)] * 2, [np.zeros((3, 2))] * 4
    _compiled.joint_variances(*ends, rows, columns, upto, *depths, 9.0, np.zeros(1), 1)  # all is right
    for call, arguments in (
        ("draw_words", (state[:3], words)),
        ("draw_levels", (state, np.zeros(300, np.uint64), levels)),
        ("draw_levels", (state, np.array([2, 1], np.uint64), levels)),
        ("split_by_level", (words, levels[:7], words, bounds)),
        ("split_by_level", (words, levels, words[:7], bounds)),
        ("split_by_level", (words, levels, words, bounds[:1])),
        ("encode_contrast", (state, words, 3, 5, words)),
        ("encode_contrast", (state, words, 4, 5, words[:7])),
        ("hash_hadamard", (words, words[:7], 1, 1, words)),
        ("hash_hadamard", (words, words, 0, 1, words)),
        ("hash_to_symbol", (0, 0, 0, 3)),
        ("hash_to_symbol", (0, 0, 2, 0)),
        ("hash_to_symbol", (0, 0, 2, 16)),
        ("hash_to_symbol", (-1, 0, 2, 3)),
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
        ("rank_sets", (np.full((8, 1), 3, np.uint8), np.zeros((2, 5), np.uint64), np.zeros(7, np.uint64))),
        ("rank_sets", (np.zeros((8, 0), np.uint8), np.zeros((2, 5), np.uint64), np.zeros(8, np.uint64))),
        ("sets_of_ranks", (np.zeros(8, np.uint64), np.zeros((5, 3), np.uint64), np.zeros((7, 1), np.uint8))),
        ("sets_of_ranks", (np.zeros(8, np.uint64), np.zeros((9, 3), np.uint64), np.zeros((8, 1), np.uint8))),
        ("sets_of_ranks", (np.zeros(8, np.uint64), np.zeros((5, 0), np.uint64), np.zeros((8, 1), np.uint8))),
        ("set_sizes", (np.zeros((8, 1), np.uint8), words[:7])),
        ("copy_bits", (levels, 0, 8, levels[:7].copy(), 0, 8, 3, 8)),
        ("copy_bits", (levels, 0, 8, levels.copy(), 0, 8, -1, 8)),
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
        ("joint_variances", (*ends, rows, columns, upto, *depths, 9.0, np.zeros(2), 1)),
        ("joint_variances", (ends[0][:1], ends[1], rows, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, rows[:2], columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, columns, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, rows + 1, columns, upto, *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, rows, columns, upto[:6], *depths, 9.0, np.zeros(1), 1)),
        ("joint_variances", (*ends, rows, columns, upto, *depths[:3], upto, 9.0, np.zeros(1), 1)),
        ("tally", (np.zeros(3, np.int64), np.zeros(3, np.int64), 1)),
    ):
        with pytest.raises((ValueError, TypeError)):
            getattr(_compiled, call)(*arguments)
