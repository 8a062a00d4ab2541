"""PriPL-Tree on one attribute: its lines, its tree and its estimates, against literal versions of each."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from experiments import piecewise_linear
from experiments.data import people
from experiments.piecewise_linear import MAX_SEGMENTS, segments
from experiments.pripl_tree import Estimates, Leaves, agree, average, heard, leaves, pripl_tree
from experiments.segment_tree import Node, joined, range_noise, tree_of
from ldprange import OUE
from ldprange.support.arrays import Boundaries, Floats


def fitted(shares: Floats, edges: Boundaries) -> Floats:
    """Return the nearest lines that meet halfway between the bins on both sides of each inner edge."""
    knots = np.array([0.0, *(edges[1:-1] - 0.5), shares.size - 1.0])
    hats = np.stack([np.interp(np.arange(shares.size), knots, unit) for unit in np.eye(knots.size)], axis=1)
    return hats @ np.linalg.lstsq(hats, shares)[0]


def test_gains_are_those_of_fitting_anew() -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(60))
    edges = np.array([0, 7, 30, 60])
    before = np.sum((shares - fitted(shares, edges)) ** 2)
    lines = piecewise_linear._Lines(shares, edges)
    for start, end in pairwise(edges.tolist()):
        candidates = np.arange(start + 1, end)
        after = [np.sum((shares - fitted(shares, np.sort([*edges, at]))) ** 2) for at in candidates]
        gains = lines.gains(start, end, candidates)
        np.testing.assert_allclose(gains, before - np.array(after), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(lines.squares.sum(), before)
    np.testing.assert_allclose(lines.slopes, np.diff(fitted(shares, edges))[[0, 10, 40]])


def test_nothing_is_gained_where_lines_can_do_all() -> None:
    """Two bins, and two lines already."""
    lines = piecewise_linear._Lines(np.array([0.3, 0.7]), np.array([0, 1, 2]))
    assert lines.gains(0, 2, np.array([1])).tolist() == [0.0]


@pytest.mark.parametrize("bins", [100, 1024, 20_000])
def test_lines_that_meet_are_found(bins: int) -> None:
    """From coarse to fine: 20,000 bins are gone through in three steps."""
    knots = np.array([0, round(0.31 * bins) - 0.5, round(0.77 * bins) - 0.5, bins - 1])
    shares = np.interp(np.arange(bins), knots, [0.0, 3.0, 1.0, 2.0])
    found = segments(shares, shares, least=0.0)
    assert {round(0.31 * bins), round(0.77 * bins)} <= set(found.edges.tolist())
    wide = np.diff(found.edges) > 1
    steps = np.diff(shares, append=0.0)[found.edges[:-1]]
    np.testing.assert_allclose(found.slopes[wide], steps[wide], atol=1e-6 / bins)


def test_segments_are_as_many_as_may_be() -> None:
    """Breaks of the rough estimate, in the lower half here, are half of them; the smooth one's follow."""
    bins = np.arange(1000)
    rough, smooth = np.exp(-bins / 50.0), np.exp((bins - 999) / 50.0)
    both, one = segments(rough, smooth, least=0.0), segments(smooth, smooth, least=0.0)
    assert both.edges.size == one.edges.size == MAX_SEGMENTS + 1
    assert np.count_nonzero(both.edges[1:-1] < 500) == MAX_SEGMENTS // 2 - 1
    np.testing.assert_allclose(both.slopes, piecewise_linear._Lines(smooth, both.edges).slopes)


def test_a_segment_with_few_people_is_not_broken() -> None:
    """The tail has a seventh of the people, and a small hill."""
    shares = np.interp(np.arange(100), [0, 9.5, 29.5, 59.5, 79.5, 99], [0, 1, 0.02, 0.02, 0.06, 0.02])
    shares /= shares.sum()
    few, all_of_them = (segments(shares, shares, least).edges for least in (0.2, 0.01))
    assert few[few > 50].tolist() == [100]
    assert {60, 80} <= set(all_of_them.tolist())


@pytest.mark.parametrize("number", range(1, 34))
def test_nodes_are_joined_in_twos(number: int) -> None:
    edges = np.cumsum([0, *range(1, number + 1)])
    root = joined(edges)
    assert [(node.start, node.end) for node in root.all() if not node.children] == list(pairwise(edges))
    for node in root.all():
        assert len(node.children) in (0, 2, 3)
        if node.children:
            assert (node.children[0].start, node.children[-1].end) == (node.start, node.end)


def ranges_with(node: Node, parent: Node, bins: int) -> int:
    """Count the ranges that have all of a node but not all of its parent, one by one."""
    return sum(
        start <= node.start and node.end <= end and not (start <= parent.start and parent.end <= end)
        for start, end in combinations(range(bins + 1), 2)
    )


def test_noise_is_that_of_the_nodes_of_all_ranges() -> None:
    """A path of two below the root, then a subtree of two levels: parts 1/4, 1/3 of the rest, then halves."""
    ends = [Node(2, 4), Node(4, 5)]
    node = Node(2, 5, ends)
    above = Node(1, 7, [Node(1, 2), node, Node(5, 7)])
    top = Node(1, 9, [above, Node(7, 9)])
    root = Node(0, 10, [Node(0, 1), top, Node(9, 10)])
    expected = (
        4 * ranges_with(top, root, 10)
        + 4 * ranges_with(above, top, 10)
        + 4 * ranges_with(node, above, 10)
        + 4 * sum(ranges_with(end, node, 10) for end in ends)
    )
    assert range_noise([root, top, above], [node]) == pytest.approx(expected)


def test_leaving_nodes_out_makes_ranges_better() -> None:
    """Of 32 even leaves some nodes go and some stay, and the mean variance of a range is less."""
    edges = 8 * np.arange(33)
    full, tree = joined(edges), tree_of(edges, 1000)
    assert 33 < len(list(tree.all())) < len(list(full.all()))
    assert [node.start for node in tree.all() if not node.children] == edges[:-1].tolist()
    assert range_noise([tree], tree.children) < range_noise([full], full.children)


def test_everybody_is_asked_once_on_the_way_to_a_leaf() -> None:
    sizes = np.random.default_rng(5).integers(1, 30, 27)
    root = tree_of(np.concatenate([[0], np.cumsum(sizes)]), 12_345)

    def descend(node: Node, asked: int) -> None:
        assert node.first == asked
        assert abs((node.last - node.first) - (12_345 - asked) / node.height) <= 0.5
        for child in node.children:
            descend(child, node.last)
        if not node.children:
            assert node.last == 12_345

    for child in root.children:
        descend(child, 0)
    assert (root.first, root.last) == (0, 0)


def test_nodes_are_heard_without_bias_and_with_their_variance() -> None:
    """400 surveys: each node's mean within 5 standard errors, and its variance within 40%."""
    counts, epsilon = np.array([9000, 0, 500, 500, 6000, 0, 0, 4000]), 1.1
    below = [Node(0, 1, first=8000, last=20_000), Node(1, 4, first=8000, last=20_000)]
    root = Node(0, 8, [Node(0, 4, below, first=0, last=8000), Node(4, 8, first=0, last=20_000)])
    rng = np.random.default_rng(6)
    surveys = [heard(root, counts, epsilon, rng) for _ in range(400)]
    nodes = list(root.all())
    truth = np.array([counts[node.start : node.end].sum() for node in nodes]) / counts.sum()
    found = np.array([survey.shares for survey in surveys])
    users = np.array([node.last - node.first for node in nodes[1:]])
    noise = OUE().on(2, epsilon).noise.spread / users
    np.testing.assert_allclose(surveys[0].variances, [0.0, *noise])
    # a bit of someone in the node has variance 1/4; who is asked is drawn, too
    exact = noise + truth[1:] / users
    assert found[:, 0].tolist() == [1.0] * 400
    assert np.all(np.abs(found.mean(axis=0) - truth)[1:] < 5 * np.sqrt(exact / 400))
    assert np.all(found.var(axis=0)[1:] < 1.4 * exact)
    assert np.all(found.var(axis=0)[1:] > 0.6 * noise)


def two_levels() -> Node:
    return Node(0, 8, [Node(0, 4, [Node(0, 1), Node(1, 4)]), Node(4, 8)])


def test_a_leaf_is_averaged_with_the_square_wave() -> None:
    """The wave's squared error is what it differs by, less noise where that is more; at most its square."""
    root = Node(0, 4, [Node(0, 1), Node(1, 2), Node(2, 3), Node(3, 4)])
    smooth = np.array([0.5, 0.3, 0.1, 0.0])
    estimates = Estimates(np.array([1.0, 0.2, 0.29, 0.5, 0.3]), np.full(5, 0.01), np.eye(5))
    average(root, estimates, smooth)
    others = np.array([0.09 - 0.01, 0.0001, 0.1**2, 0.0])
    weights = others / (0.01 + others)
    expected = weights * [0.2, 0.29, 0.5, 0.3] + (1 - weights) * smooth
    np.testing.assert_allclose(estimates.shares[1:], expected)
    np.testing.assert_allclose(estimates.variances[1:], 0.01 * weights)


def test_a_node_is_averaged_with_its_children() -> None:
    smooth = np.array([0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])
    estimates = Estimates(
        np.array([1.0, 0.7, 0.45, 0.4, 0.1]), np.array([0, 4e-4, 1e-4, 2e-4, 1e-4]), np.eye(5)
    )
    average(two_levels(), estimates, smooth)
    sums, others = estimates.shares[[2, 3]].sum(), estimates.variances[[2, 3]].sum()
    weight = others / (4e-4 + others)
    assert estimates.shares[1] == pytest.approx(weight * 0.7 + (1 - weight) * sums)
    assert estimates.variance([1])[0] == pytest.approx(4e-4 * others / (4e-4 + others))


def test_children_agree_with_their_node_and_errors_are_followed() -> None:
    """Mixtures are how shares change with each node's error: by trying, where nothing becomes negative."""
    heard_of, variances = np.array([1.0, 0.62, 0.33, 0.31, 0.42]), np.arange(5.0)

    def agreed(shares: Floats) -> Estimates:
        estimates = Estimates(shares.copy(), variances, np.eye(5))
        agree(two_levels(), estimates)
        return estimates

    found = agreed(heard_of)
    np.testing.assert_allclose(found.shares, [1.0, 0.6, 0.31, 0.29, 0.4])
    moved = np.stack([agreed(heard_of + error).shares for error in 1e-3 * np.eye(5)], axis=1)
    np.testing.assert_allclose(found.mixtures, (moved - found.shares[:, None]) / 1e-3, atol=1e-12)


def test_no_child_is_left_negative() -> None:
    estimates = Estimates(np.array([1.0, 0.05, -0.2, 0.1, 1.1]), np.ones(5), np.eye(5))
    agree(two_levels(), estimates)
    np.testing.assert_allclose(estimates.shares, [1, 0, 0, 0, 1], atol=1e-15)
    estimates = Estimates(np.array([1.0, 0.5, -0.2, 0.1, 0.5]), np.ones(5), np.eye(5))
    agree(two_levels(), estimates)
    np.testing.assert_allclose(estimates.shares, [1, 0.5, 0.1, 0.4, 0.5])


def test_people_follow_the_line_of_their_leaf() -> None:
    """The second is as steep as it can be: 0 at its end, and twice its mean at the other."""
    ends = Leaves(np.array([0, 4, 7, 8]), np.array([0.4, 0.3, 0.3]), np.zeros(3), np.array([0.02, -5.0, 9.0]))
    np.testing.assert_allclose(ends.spread(), [0.07, 0.09, 0.11, 0.13, 0.2, 0.1, 0.0, 0.3], atol=1e-15)


@pytest.mark.parametrize("bins", [1, 2, 3, 100, 256])
@pytest.mark.parametrize("name", ["spiky", "bimodal", "zipf"])
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_what_is_found_is_a_distribution(name: str, bins: int, epsilon: float) -> None:
    counts = people(name, bins, 20_000)
    found = pripl_tree(counts, epsilon, np.random.default_rng(8))
    assert found.shape == counts.shape
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["bimodal", "cauchy"])
def test_people_are_found(name: str) -> None:
    counts = people(name, 200, 1 << 24)
    found = pripl_tree(counts, 3.0, np.random.default_rng(9))
    assert np.abs(np.cumsum(found) - np.cumsum(counts) / counts.sum()).max() < 0.003


def test_variances_are_about_those_of_leaves() -> None:
    """They leave out what the lines and the wave add, so they tell the size only."""
    counts = people("bimodal", 64, 1 << 20)
    found = leaves(counts, 1.0, np.random.default_rng(10))
    truth = np.add.reduceat(counts, found.edges[:-1]) / counts.sum()
    errors = np.mean((found.shares - truth) ** 2)
    assert 0.1 < errors / found.variances.mean() < 10
