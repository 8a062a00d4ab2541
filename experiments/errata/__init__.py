"""Everything in the paper that is wrong or loose, each with a calculation that shows it.

Most of it is small and changes no conclusion. What does matter to whoever builds on the paper: the oracles as
printed are biased (4, 12) or not private (5), HRR's variance is larger (3), stage 2 of consistency has to be
another (16), the root should be fixed (17), and the tables hold roots of squares (1) over ranges that are
easier than most (31, 32).

>>> for erratum in ERRATA[6:8]:
...     print(erratum.number, erratum.check())
7 the printed row's products with the other seven are [-2, 2, 2, -2, -2, 2, 2]; its fourth sign is wrong
8 D = 16: 136 ranges of mean length 6 = (D + 2)/3; over 120 the same sum gives 6.80
"""

from __future__ import annotations

from operator import attrgetter

from experiments.errata.claims import CLAIMS
from experiments.errata.consistency import CONSISTENCY
from experiments.errata.erratum import Erratum, RefutedError
from experiments.errata.evaluation import EVALUATION
from experiments.errata.hierarchies import HIERARCHIES
from experiments.errata.oracles import ORACLES
from experiments.errata.wavelets import WAVELETS

ERRATA: tuple[Erratum, ...] = tuple(
    sorted(
        (*ORACLES, *HIERARCHIES, *CONSISTENCY, *WAVELETS, *EVALUATION, *CLAIMS),
        key=attrgetter("number"),
    )
)

__all__ = ["ERRATA", "Erratum", "RefutedError"]
