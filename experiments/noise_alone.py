"""The noise of privacy alone: the error that the paper's bounds are about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ldprange import Plan
from ldprange.noise import Noise
from ldprange.prediction import Prediction


def noise_alone(plan: Plan, users: float) -> Prediction:
    """Return the error of ``plan`` for ``users`` people who are spread so thinly that no node holds a share.

    ``plan.predict(users)`` adds what an even population has in every node, and the sampling of people.

    >>> from experiments.methods import plan_of
    >>> plan, users = plan_of("TreeOUE2", 256, 1.1), 1 << 26
    >>> [round(1000 * each.range_rmse, 3) for each in (noise_alone(plan, users), plan.predict(users))]
    [0.743, 0.753]
    """
    law = plan.law(users * np.array(plan.probabilities))
    thin = replace(law, noises=tuple(Noise(noise.spread) for noise in law.noises))
    return Prediction(users, *plan.layout.even_variances(thin))
