"""Tables with wanted sums: by scaling, which keeps odds ratios, and then exactly."""

import numpy as np

from ldprange.least_squares.table import coarser
from ldprange.support.arrays import Floats

_ROUNDS = 100
_NEAR = 1e-9
_TINY = 1e-300


def raked(joint: Floats, margins: dict[tuple[int, ...], Floats], blocks: Floats | None = None) -> Floats:
    """Scale a table by turns until its sums over the other axes are the wanted ones, or nearly.

    So are those of the table's ``blocks``, equal parts of it along every axis, where these are given.

    >>> raked(np.ones((2, 2)), {(0,): np.array([0.25, 0.75]), (1,): np.array([0.5, 0.5])}).tolist()
    [[0.125, 0.125], [0.375, 0.375]]
    >>> raked(np.ones((1, 4)), {(0,): np.ones(1)}, blocks=np.array([[0.25, 0.75]])).tolist()
    [[0.125, 0.125, 0.375, 0.375]]
    """
    for _ in range(_ROUNDS):
        off = 0.0
        if blocks is not None:
            found = coarser(joint, blocks.shape)
            off = float(np.abs(found - blocks).max())
            scale = np.divide(blocks, found, out=np.zeros_like(found), where=found > _TINY)
            for axis, number in enumerate(joint.shape):
                scale = np.repeat(scale, number // blocks.shape[axis], axis=axis)
            joint = joint * scale
        for axes, wanted in margins.items():
            others = tuple(a for a in range(joint.ndim) if a not in axes)
            found = joint.sum(axis=others)
            off = max(off, float(np.abs(found - wanted).max()))
            scale = np.divide(wanted, found, out=np.zeros_like(found), where=found > _TINY)
            joint = joint * np.expand_dims(scale, others)
        if off < _NEAR:
            break
    return joint


def agreeing(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return a table near ``table`` whose rows and columns add up to exactly what is wanted.

    What is too much in a row, then in a column, is taken off, and what is missing put where both miss some.

    >>> agreeing(np.array([[0.3, 0.0], [0.2, 0.5]]), np.array([0.25, 0.75]), np.array([0.5, 0.5])).tolist()
    [[0.25, 0.0], [0.25, 0.5]]
    """
    for axis, wanted in enumerate((rows, columns)):
        found = table.sum(axis=1 - axis)
        part = np.divide(wanted, found, out=np.ones_like(found), where=found > wanted)
        table = table * np.expand_dims(part, 1 - axis)
    missing = np.maximum(rows - table.sum(axis=1), 0.0), np.maximum(columns - table.sum(axis=0), 0.0)
    added: Floats = np.outer(*missing) / max(float(missing[0].sum()), _TINY)
    return table + added
