"""The decision stump: the one cut of one attribute that tells the classes apart best."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldprange.learning.aggregate import LabelledAggregate
from ldprange.learning.estimator import ReportsClassifier, densities
from ldprange.support.arrays import Floats


class DecisionStump(ReportsClassifier):
    """Predicts a public class by one threshold, found from randomised reports: a rule that can be said aloud.

    What lies left of a cut is a prefix of an attribute, and its share in each class is what the library
    answers anyway. The cut taken leaves the least Gini impurity.

    Takes the same parameters as :class:`ldprange.NaiveBayes`.

    Attributes
    ----------
    feature_, threshold_
        The attribute's column, and the number at which it is cut: what is below goes left.
    leaf_proba_
        Each class's probability, in a row for the left side and one for the right.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.random((100_000, 2))
    >>> y = np.where(X[:, 1] < 0.25, "low", "high")
    >>> stump = DecisionStump(epsilon=2.0, bounds=(0, 1), random_state=1).fit(X, y)
    >>> stump.feature_, stump.threshold_
    (1, 0.25)
    >>> stump.predict([[0.9, 0.2], [0.1, 0.3]]).tolist()
    ['low', 'high']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one cut has two sides, so at most two classes are told apart
        return tags

    def _read(self, counts: LabelledAggregate) -> None:
        shares = (self.class_count_ / self.class_count_.sum())[:, None]
        # for each attribute and cut, the share of everybody who is of a class and left of it
        left = [shares * np.cumsum(densities(counts, place), axis=1) for place in range(self.n_features_in_)]
        impurities = [_impurity(each) + _impurity(shares - each) for each in left]
        self.feature_ = int(np.argmin([each.min() for each in impurities]))
        self._cut = int(np.argmin(impurities[self.feature_])) + 1
        self.threshold_ = counts.plan.plans[self.feature_].domain.at(float(self._cut))
        sides = np.stack([left[self.feature_][:, self._cut - 1], shares[:, 0]])
        sides[1] -= sides[0]
        # and one person who may be on either
        sides = np.maximum(sides, 0.0) + 1 / self.class_count_.sum() * shares.T
        self.leaf_proba_ = sides / sides.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: ArrayLike) -> Floats:  # noqa: N803 (scikit-learn's name)
        """Return the logarithm of each class's probability, a row for each of ``X``."""
        right = self._columns(X)[self.feature_] >= self._cut
        with np.errstate(divide="ignore"):  # a class that nobody reported of has no probability
            log: Floats = np.log(self.leaf_proba_)[right.astype(np.intp)]
        return log


def _impurity(side: Floats) -> Floats:
    """Return the Gini impurity of one side of each cut, weighted by the people there."""
    people = np.maximum(side.sum(axis=0), np.finfo(float).tiny)
    impurity: Floats = people - (side**2).sum(axis=0) / people
    return impurity
