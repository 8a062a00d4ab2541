"""Grids over several attributes: a level asks for a cell on some of them, each at one scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Any, ClassVar

from ldprange.decompositions.branchings import branchings_for
from ldprange.decompositions.contract import MAX_LEVELS, Decomposition, check_levels
from ldprange.decompositions.grids_layout import GridsLayout
from ldprange.domain import Domain
from ldprange.domain.contract import in_message
from ldprange.errors import PlanError
from ldprange.support.checking import check_type, normalise, shown

_DEEPEST = 27  # a plan's attributes have at most 2**26 bins, their trees fewer than twice as many leaves
_PAIRS_DEPTH = 3  # of grids of two attributes, up to 8 × 8 cells
_COARSE_SCALES = 5  # of tables for denoised answers: 2 × 2 to 32 × 32 cells, or as many as wanted
_FINE = 8  # the depth of a tree from which on one scale, that of bins, is enough


@dataclass(frozen=True)
class Grids(Decomposition):
    """Grids over the attributes of a product, each attribute cut by a tree.

    Parameters
    ----------
    trees
        The branchings of every attribute's tree, from the root down; their product is its number of bins. It
        may be more, and nobody is then in the last leaves.
    depths
        For every level, how deep it goes into each tree; 0 where it does not ask.

    >>> from ldprange import Domain
    >>> two = Domain.product(a=Domain.integers(1, 6), b=Domain.integers(1, 4))
    >>> [level.shape for level in Grids.product([(2, 3), (4,)]).on(two).levels]
    [(1, 4), (2, 1), (2, 4), (6, 1), (6, 4)]
    """

    trees: Sequence[Sequence[int]]
    depths: Sequence[Sequence[int]]
    kind: ClassVar[str] = "grids"

    def __post_init__(self) -> None:
        trees, depths = _numbers(self.trees, 2, "trees"), _numbers(self.depths, 0, "depths")
        if len(trees) < 2 or not all(trees):
            raise PlanError(f"grids need the branchings of two trees or more, got {shown(self.trees)}")
        heights = [len(tree) for tree in trees]
        # looked at before anything is built from them: every branching is 2 or more
        if max(heights) > _DEEPEST or max(map(prod, trees)) > 1 << _DEEPEST:
            raise PlanError(
                f"a tree may have at most 2**{_DEEPEST} leaves, got {shown(self.trees)}; use fewer bins"
            )
        check_levels(len(depths))
        for depth in depths:
            if (
                len(depth) != len(trees)
                or not any(depth)
                or any(d > h for d, h in zip(depth, heights, strict=True))
            ):
                raise PlanError(
                    f"a grid must go 0 to {shown(heights)} deep into the trees, and into one of them at "
                    f"least, got {shown(list(depth))}"
                )
        if not depths or len(set(depths)) != len(depths):
            raise PlanError(f"grids must be one or more, each once, got {shown(self.depths)}")
        normalise(self, trees=trees, depths=depths)

    @staticmethod
    def product(trees: Iterable[Sequence[int]]) -> Grids:
        """Return all combinations of depths: what a question about all attributes at once needs."""
        kept, combinations_of_depths = [], 1
        for tree in trees:  # counted as they come, because few bytes can ask for any number of combinations
            kept.append(tree)
            combinations_of_depths *= len(tree) + 1
            check_levels(combinations_of_depths - 1)
        heights = [range(len(tree) + 1) for tree in kept]
        return Grids(kept, [depths for depths in product(*heights) if any(depths)])

    @staticmethod
    def pairs(domain: Domain, max_levels: int = MAX_LEVELS, *, depth: int | None = None) -> Grids:
        """Return coarse grids of every two attributes and finer ones of each alone, ``max_levels`` at most.

        Every two attributes of ``domain`` are asked about on squares of 2 × 2, 4 × 4, … cells, each cut
        ``depth`` times at the most; left out, three times, or twice where that would be too many levels. If
        it is too many, the coarsest squares are not asked about.

        >>> from ldprange import Domain
        >>> three = Domain.product(**dict.fromkeys("abc", Domain.integers(1, 4)))
        >>> [level.shape for level in Grids.pairs(three, 9).on(three).levels][-3:]
        [(4, 4, 1), (4, 1, 4), (1, 4, 4)]
        """
        trees = _two_or_more(domain)
        alone = _alone([range(len(tree), 0, -1) for tree in trees])
        alone.sort(key=lambda row: -max(row))
        room = max(1, (max_levels - len(trees)) // comb(len(trees), 2))
        last = min(max(2, room), _PAIRS_DEPTH) if depth is None else depth
        if type(last) is not int or last < 1:
            raise PlanError(f"depth must be a whole number of at least 1, got {shown(depth)}")
        last = min(last, max(map(len, trees)))
        asked = _together(trees, range(max(1, last - room + 1), last + 1))
        return Grids(trees, [*sorted(alone[: max_levels - len(asked)]), *asked])

    @staticmethod
    def coarse(
        domain: Domain, max_cells: int = 1024, max_levels: int = MAX_LEVELS, *, deepest: int | None = None
    ) -> Grids:
        """Return the grids that denoised answers are best had from, ``max_levels`` at most.

        Every two attributes of ``domain`` are asked about on squares of 2 × 2, 4 × 4, … cells, as far as
        these are ``max_cells``, and each alone on every other scale. So smooth populations, which need no
        finer ones, are known well. Where hardly anything can be known, each is asked about alone on every
        scale, only ``deepest`` cuts deep into its tree, and what is finer is not told; but down to bins if
        some of these lie apart, as no answer does.

        >>> from ldprange import Domain
        >>> two = Domain.product(a=Domain.integers(1, 64), b=Domain.integers(1, 64))
        >>> [level.shape for level in Grids.coarse(two).on(two).levels]
        [(64, 1), (16, 1), (4, 1), (1, 64), (1, 16), (1, 4), (2, 2), (4, 4), (8, 8), (16, 16), (32, 32)]
        """
        trees = _two_or_more(domain)
        alone = _alone(
            [
                range(min(len(tree), deepest), 0, -1)
                if deepest and attribute.plain is attribute
                else _every_other(len(tree))
                for tree, attribute in zip(trees, domain.attributes.values(), strict=True)
            ]
        )
        scales = max(_COARSE_SCALES, max_cells.bit_length() // 2)
        steps = max(1, min(scales, (max_levels - len(alone)) // comb(len(trees), 2)))
        # spread evenly over all scales, if there are too many pairs for each
        depths = [1 + round((step + 0.5) * scales / steps - 0.5) for step in range(steps)]
        asked = _together(trees, depths[:1])  # however many cells the coarsest have
        for grid in _together(trees, depths[1:]):
            cells = prod(prod(tree[:depth]) for tree, depth in zip(trees, grid, strict=True))
            if cells <= max_cells and grid not in asked:
                asked.append(grid)
        return Grids(trees, [*alone[: max_levels - len(asked)], *asked])

    def on(self, domain: Domain) -> GridsLayout:
        leaves = [prod(tree) for tree in self.trees]
        if len(leaves) != len(domain.shape) or not all(
            bins <= have < 2 * bins for have, bins in zip(leaves, domain.shape, strict=True)
        ):
            raise PlanError(
                f"the trees must have as many leaves as the attributes have bins, "
                f"{shown(list(domain.shape))}, or more, but not twice as many, got {shown(leaves)}"
            )
        return GridsLayout(self, self.trees, self.depths, domain)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "trees": [list(tree) for tree in self.trees],
            "depths": [list(depth) for depth in self.depths],
        }


def _alone(depths: Sequence[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the depths of the grids of one attribute at a time, each at all of its ``depths``."""
    places = range(len(depths))
    return [tuple(depth if b == a else 0 for b in places) for a, own in enumerate(depths) for depth in own]


def _together(trees: Sequence[Sequence[int]], depths: Iterable[int]) -> list[tuple[int, ...]]:
    """Return the depths of the grids of every two attributes, at each of ``depths`` or as deep as they go."""
    pairs = list(combinations(range(len(trees)), 2))
    rows = (
        tuple(min(depth, len(tree)) if a in pair else 0 for a, tree in enumerate(trees))
        for depth in depths
        for pair in pairs
    )
    return list(dict.fromkeys(rows))


def _every_other(height: int) -> list[int]:
    """Return the depths at which an attribute is asked about alone for denoised answers, the finest first."""
    deepest = min(height, _FINE)
    return [*[height] * (height > _FINE), *(range(deepest, 1, -2) if deepest > 1 else [1])]


def trees_of(domain: Domain, branching: int) -> Iterator[tuple[int, ...]]:
    """Yield the tree of each attribute of ``domain``, near ``branching``; unordered bins are all at once.

    >>> from ldprange import Domain
    >>> regions = Domain.categories(["north", "south", "east"])
    >>> list(trees_of(Domain.product(age=Domain.integers(1, 16), region=regions), 4))
    [(4, 4), (3,)]
    """
    unordered = domain.unordered
    for place, bins in enumerate(domain.shape):
        yield (bins,) if place in unordered else branchings_for(bins, branching)


def _two_or_more(domain: Domain) -> list[tuple[int, ...]]:
    """Return the tree of each attribute of ``domain``, cut in halves, if there are several."""
    check_type(domain, Domain, "domain")
    if len(domain.attributes) < 2:
        raise PlanError(f"pairs need two attributes or more, got {in_message(domain)}; use Windows for one")
    return list(trees_of(domain, 2))


def _numbers(given: object, least: int, what: str) -> tuple[tuple[int, ...], ...]:
    listed = given if isinstance(given, list | tuple) else [None]
    rows = [list(row) if isinstance(row, list | tuple) else [None] for row in listed]
    if not all(type(number) is int and number >= least for row in rows for number in row):
        raise PlanError(f"{what} must be lists of whole numbers of at least {least}, got {shown(given)}")
    return tuple(map(tuple, rows))
