"""One of every kind of oracle, and of every kind of decomposition of one attribute, by its kind.

A new kind is at once in all tests that use these.
"""

import ldprange as ldp
from ldprange.decompositions import KINDS as DECOMPOSITION_KINDS
from ldprange.decompositions import Decomposition
from ldprange.oracles import KINDS as ORACLE_KINDS
from ldprange.oracles import Oracle

ORACLES: dict[str, Oracle] = {kind: oracle() for kind, oracle in ORACLE_KINDS.items()}
DECOMPOSITIONS: dict[str, Decomposition] = {
    kind: ldp.Tree(4) if decomposition is ldp.Tree else decomposition()
    for kind, decomposition in DECOMPOSITION_KINDS.items()
    if decomposition is not ldp.Grids
}
