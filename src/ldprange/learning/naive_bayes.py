"""Naive Bayes: each class's densities, one attribute at a time, from denoised estimates."""

import numpy as np
from numpy.typing import ArrayLike

from ldprange.aggregate import Aggregate
from ldprange.learning.aggregate import LabelledAggregate
from ldprange.learning.estimator import ReportsClassifier, densities
from ldprange.support.arrays import Floats


class NaiveBayes(ReportsClassifier):
    """Predicts a public class from numbers, having seen nothing but randomised reports of them.

    An estimator of scikit-learn: ``fit`` rehearses with people's numbers and seeded coins, ``fit_reports``
    learns from real reports. Given the class, attributes are taken to be independent, so one report on one
    attribute is all that a person need give.

    Parameters
    ----------
    epsilon
        The total privacy loss of a person in ``fit``, over all attributes.
    bounds
        The least and the greatest number: a pair for all attributes, or a row of two for each. Public, so
        they must not be taken from the data.
    bins
        Into how many bins numbers are cut; if left out, as many as the people to come can tell apart.
    plan
        What people are asked, instead of the three above (:func:`ldprange.choose_labelled_plan`).
    random_state
        Seeds the coins of ``fit``.

    Attributes
    ----------
    plan_
        What people were asked.
    classes_, class_count_
        The labels, and how many people of each reported.
    bin_log_prob_
        For each attribute the logarithm of the probability of its bins, a row for each class.

    Notes
    -----
    A bin's probability is (m·share + 1/D)/(m + 1): the denoised share among D bins, and one person more who
    might be anywhere. m is how many people, counted without noise, would tell as much of a bin, on average;
    it follows from the exact variance, so where reports say little the classes differ little.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(2, size=100_000)
    >>> X = np.clip(rng.normal(y[:, None], 1.0, (y.size, 2)), -4, 5)
    >>> model = NaiveBayes(epsilon=2.0, bounds=(-4, 5), random_state=1).fit(X, y)
    >>> model.plan_.asked, model.plan_.epsilon
    ('one', 2.0)
    >>> model.predict([[-1, 0], [1.5, 2]]).tolist()
    [0, 1]
    >>> bool(abs(model.score(X, y) - 0.760) < 0.01)  # the best possible
    True
    """

    def _read(self, counts: LabelledAggregate) -> None:
        self.bin_log_prob_ = []
        for place in range(len(counts.plan.attributes)):
            shares = densities(counts, place)
            m = np.array([[exact_people(row[place])] for row in counts.parts])
            self.bin_log_prob_.append(np.log((m * shares + 1 / shares.shape[1]) / (m + 1)))

    def predict_log_proba(self, X: ArrayLike) -> Floats:  # noqa: N803 (scikit-learn's name)
        """Return the logarithm of each class's probability, a row for each of ``X``."""
        columns = self._columns(X)
        with np.errstate(divide="ignore"):  # a class that nobody reported of has no probability
            joint = np.log(self.class_count_ / self.class_count_.sum())
        for table, column in zip(self.bin_log_prob_, columns, strict=True):
            joint = joint + table.T[column]
        log: Floats = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        return log


def exact_people(aggregate: Aggregate) -> float:
    """Return how many people, counted without noise, would tell as much of a bin, on average.

    >>> from ldprange import Domain, Flat, GRR, Plan, simulate
    >>> plan = Plan(Domain.integers(0, 9), 1.0, Flat(), GRR())
    >>> round(exact_people(simulate(plan, [1000] * 10, seed=1)))
    215
    """
    plan, users, bins = aggregate.plan, aggregate.reports, aggregate.plan.domain.bins
    if not users or bins == 1:
        return float(users)
    each = np.arange(bins)
    variances = plan.estimator(aggregate.users).variances(np.linspace(0.0, 1.0, bins + 1))
    drawn = (1 - 1 / bins) / bins  # the variance of one person's being in a bin
    return float(drawn / variances(each, each + 1).mean())
