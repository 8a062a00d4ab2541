"""A tree over given segments of the domain, and which people are asked about which of its nodes.

This is the second phase of PriPL-Tree (:mod:`experiments.pripl_tree`), tree construction. Nodes are joined in
twos, the last three of an odd number, until three or fewer are left for the root. Then, from the leaves up, a
node is left out, and its children given to its parent, if that makes the mean variance of a range less.

On the way from the root to a leaf each node takes an even part of the people that those above it left. So
siblings may be asked of the same people, and nobody is asked about two nodes that overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ldprange.support.arrays import Boundaries


@dataclass(eq=False, slots=True)
class Node:
    """Bins ``start`` to ``end`` (exclusive), asked of people ``first`` to ``last`` (exclusive) in line."""

    start: int
    end: int
    children: list[Node] = field(default_factory=list)
    first: int = 0
    last: int = 0

    @property
    def height(self) -> int:
        """The number of nodes on the longest way down, with this one."""
        return 1 + max((child.height for child in self.children), default=0)

    def all(self) -> Iterator[Node]:
        """Go through this node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.all()


def tree_of(edges: Boundaries, users: int) -> Node:
    """Return the root of the tree whose leaves lie between ``edges``, with its nodes' parts of ``users``."""
    root = joined(edges)
    for child in reversed(root.children.copy()):
        _reduce_below(child, [root])
    root.first = root.last = 0  # the root is known
    for child in root.children:
        _allot(child, 0, users)
    return root


def joined(edges: Boundaries) -> Node:
    """Return the root of the binary tree whose leaves lie between ``edges``.

    >>> import numpy as np
    >>> [(node.start, node.end) for node in joined(np.arange(6)).all()]
    [(0, 5), (0, 2), (0, 1), (1, 2), (2, 5), (2, 3), (3, 4), (4, 5)]
    """
    nodes = [Node(start, end) for start, end in pairwise(edges.tolist())]
    while len(nodes) > 3:
        cuts = [*range(0, len(nodes) - 1, 2), len(nodes)]
        nodes = [_parent(nodes[first:last]) for first, last in pairwise(cuts)]
    return _parent(nodes) if len(nodes) > 1 else nodes[0]


def _parent(children: list[Node]) -> Node:
    return Node(children[0].start, children[-1].end, children)


def _reduce_below(node: Node, path: list[Node]) -> None:
    """Leave out nodes below ``path``, which leads from the root to the node's parent; the last ones first."""
    if not node.children:
        return
    for child in reversed(node.children.copy()):
        _reduce_below(child, [*path, node])
    parent = path[-1]
    kept, place = parent.children, parent.children.index(node)
    before = range_noise(path, [node])
    parent.children = kept[:place] + node.children + kept[place + 1 :]
    if range_noise(path, node.children) >= before:
        parent.children = kept


def range_noise(path: list[Node], below: list[Node]) -> float:
    """Return the variance that the nodes of ``path``, and of the trees ``below`` its end, give to all ranges.

    A node counts for each range that has all of it but not all of its parent. The path begins with the root,
    which is known. The unit is the variance of a node that everybody is asked about.
    """
    bins = path[0].end
    noise, left = 0.0, 1.0
    for parent, node in pairwise(path):
        noise += node.height / left * (_ranges(node, bins) - _ranges(parent, bins))
        left *= 1 - 1 / node.height
    return noise + sum(_noise_below(node, path[-1], left, bins) for node in below)


def _noise_below(node: Node, parent: Node, left: float, bins: int) -> float:
    own = node.height / left * (_ranges(node, bins) - _ranges(parent, bins))
    left *= 1 - 1 / node.height
    return own + sum(_noise_below(child, node, left, bins) for child in node.children)


def _ranges(node: Node, bins: int) -> int:
    """Return how many ranges have all of a node."""
    return (node.start + 1) * (bins - node.end + 1)


def _allot(node: Node, first: int, last: int) -> None:
    """Give a node its part of the people from ``first`` to before ``last``, and those below it the others."""
    node.first, node.last = first, first + round((last - first) / node.height)
    for child in node.children:
        _allot(child, node.last, last)
