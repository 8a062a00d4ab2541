"""The error to expect, before anyone is asked."""

import math
from dataclasses import dataclass

from ldprange.support.html_tables import html_facts

WANTED_MARGIN = 0.1
"""The margin of error that tells something: with ± 10 points one can tell a third from a half."""

TWO_SIDED = 1.96
"""Standard errors to either side that hold 95%."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Expected squared error, averaged over all ranges and over all prefixes of the domain.

    Categories have neither. There both are averages over all categories, one by one; beside other attributes
    half of the questions are about people of any category.
    """

    users: float
    range_variance: float
    prefix_variance: float

    def __repr__(self) -> str:
        return (
            f"Prediction(users={self.users:g}, range_rmse={self.range_rmse:.3g}, "
            f"prefix_rmse={self.prefix_rmse:.3g})"
        )

    def _repr_html_(self) -> str:
        return html_facts(
            [
                ("people", f"{self.users:,.0f}"),
                ("error of a range", f"{100 * self.range_rmse:.2f} percentage points (root mean square)"),
                ("error of a prefix", f"{100 * self.prefix_rmse:.2f} percentage points (root mean square)"),
                ("95% interval of a typical range", f"± {100 * self.margin:.2g} percentage points"),
            ],
            "Prediction",
        )

    @property
    def range_rmse(self) -> float:
        """Root mean squared error over all ranges."""
        return math.sqrt(self.range_variance)

    @property
    def margin(self) -> float:
        """Half the length of a 95% interval around the share of a typical range: 0.05 is ± 5 points."""
        return TWO_SIDED * self.range_rmse

    @property
    def prefix_rmse(self) -> float:
        """Root mean squared error over all prefixes."""
        return math.sqrt(self.prefix_variance)
