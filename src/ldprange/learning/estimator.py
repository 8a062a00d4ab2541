"""What all models share: from people or from reports to counts, in scikit-learn's manner."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.domain import Domain
from ldprange.errors import ArgumentError, PlanError
from ldprange.estimation import estimate
from ldprange.learning.aggregate import LabelledAggregate
from ldprange.learning.choice import choose_labelled_plan, density_bins
from ldprange.learning.plan import LabelledPlan, ends
from ldprange.learning.rehearsal import simulate_labelled
from ldprange.plan import check_epsilon
from ldprange.sampling import RESPONDENTS
from ldprange.support.arrays import Floats
from ldprange.support.checking import check_type, listed, shown
from ldprange.support.optional import optional_packages

with optional_packages():
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data

_SEEDS = 2**31 - 1


class ReportsClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that is made from counts of randomised reports and from nothing else."""

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        bounds: ArrayLike | None = None,
        bins: int | None = None,
        plan: LabelledPlan | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.bins = bins
        self.plan = plan
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # noqa: N803 (scikit-learn's name)
        """Rehearse: let people report as they would on their own devices, then learn from the reports alone.

        Only counts of seeded reports reach the model, and ``X`` is forgotten; but whoever calls this has seen
        the true numbers. For reports of real people there is :meth:`fit_reports`.

        Parameters
        ----------
        X
            People's numbers, a column for each attribute. One outside the bounds is an error.
        y
            People's classes.
        """
        X, y = validate_data(self, X, y)  # noqa: N806 (scikit-learn's name)
        check_classification_targets(y)
        plan = self._plan_for(np.asarray(X), np.unique(y).tolist())
        seed = int(check_random_state(self.random_state).randint(_SEEDS))
        return self._learn(simulate_labelled(plan, X, y, seed=seed))

    def fit_reports(self, counts: LabelledAggregate) -> Self:
        """Learn from counts of people's reports.

        Columns of what is predicted later stand in the order of ``counts.plan.attributes``.

        Parameters
        ----------
        counts
            Made by :meth:`ldprange.LabelledAggregate.of`, and added up.
        """
        check_type(counts, LabelledAggregate, "what a model is fitted to")
        if self.plan is not None and self.plan != counts.plan:
            raise PlanError("the reports must have been made under the model's plan; leave the plan out")
        if not counts.people.any():
            raise ArgumentError("there must be at least one person's reports to learn from, got none")
        self.n_features_in_ = len(counts.plan.attributes)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        return self._learn(counts)

    def _learn(self, counts: LabelledAggregate) -> Self:
        self.plan_ = counts.plan
        self.classes_ = np.array(counts.plan.classes)
        self.class_count_ = counts.people
        self._read(counts)
        return self

    @abstractmethod
    def _read(self, counts: LabelledAggregate) -> None:
        """Read the model off the counts."""

    @abstractmethod
    def predict_log_proba(self, X: ArrayLike) -> Floats:  # noqa: N803 (scikit-learn's name)
        """Return the logarithm of each class's probability, a row for each of ``X``."""

    def predict_proba(self, X: ArrayLike) -> Floats:  # noqa: N803 (scikit-learn's name)
        """Return each class's probability, a row for each of ``X``."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803 (scikit-learn's name)
        """Return the likeliest class of each row of ``X``; a number beyond a bound counts as the bound."""
        likeliest = self.predict_log_proba(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[likeliest]
        return found

    def _columns(self, given: ArrayLike) -> list[NDArray[np.int64]]:
        """Return the bin of each number, attribute by attribute."""
        check_is_fitted(self)
        rows = validate_data(self, given, reset=False)
        return [
            plan.domain.index(np.clip(rows[:, place], *ends(plan.domain)))
            for place, plan in enumerate(self.plan_.plans)
        ]

    def _plan_for(self, people: NDArray[Any], classes: list[Any]) -> LabelledPlan:
        """Return the plan that was given, or the best for that many people, whatever their numbers are."""
        names = list(getattr(self, "feature_names_in_", [f"x{place}" for place in range(people.shape[1])]))
        if self.plan is None:
            return self._chosen(names, classes, len(people))
        check_type(self.plan, LabelledPlan, "a model's plan")
        if any(each is not None for each in (self.epsilon, self.bounds, self.bins)):
            raise PlanError("a model with a plan has its ε, bounds and bins from there; leave these out")
        if len(self.plan.attributes) != people.shape[1] or (
            hasattr(self, "feature_names_in_") and tuple(names) != self.plan.attributes
        ):
            raise PlanError(
                f"the columns must be {listed(self.plan.attributes)}, as in the plan, got {listed(names)}"
            )
        return self.plan

    def _chosen(self, names: list[str], classes: list[Any], users: int) -> LabelledPlan:
        if self.epsilon is None or self.bounds is None:
            raise PlanError(
                "a model must be given epsilon and bounds (the least and greatest number of each attribute: "
                "public, so never taken from the data), or a plan; "
                f"got epsilon={shown(self.epsilon)}, bounds={shown(self.bounds)}"
            )
        check_epsilon(self.epsilon)
        told = users / (len(names) * len(classes))
        bins = density_bins(float(self.epsilon), told) if self.bins is None else self.bins
        pairs = _pairs(self.bounds, len(names))
        domains = {
            name: Domain.real(low, high, bins)
            for name, (low, high) in zip(names, pairs.tolist(), strict=True)
        }
        return choose_labelled_plan(domains, classes, epsilon=float(self.epsilon), expected_users=users)


def densities(counts: LabelledAggregate, place: int) -> Floats:
    """Return the denoised share of each bin of one attribute, a row for each class."""
    # only privacy's noise is taken away: how much the sample itself may be off is smoothed by each model
    each = [estimate(row[place], denoise=True, population=RESPONDENTS) for row in counts.parts]
    return np.stack([found.histogram(confidence=None).value for found in each])


def _pairs(bounds: ArrayLike, attributes: int) -> Floats:
    """Return a low and a high end for each attribute."""
    try:
        pairs = np.broadcast_to(np.asarray(bounds, np.float64), (attributes, 2))
    except (ValueError, TypeError):
        raise PlanError(
            "bounds must be a pair (low, high) for all attributes, or a row of two for each of "
            f"{attributes}, got {shown(bounds)}"
        ) from None
    return pairs
