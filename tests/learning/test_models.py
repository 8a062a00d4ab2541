"""Models from reports: scikit-learn's conventions, the noiseless limit, and what accuracy was promised."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import ldprange as ldp
from experiments.learning.curve import draw, measure, summary
from experiments.learning.data import TASKS
from experiments.tables import number, read_table
from ldprange.learning.naive_bayes import exact_people
from ldprange.learning.plan import ends
from ldprange.support.arrays import Floats

DOCS = Path(__file__).parents[2] / "docs"
MODELS: list[Callable[..., Any]] = [ldp.NaiveBayes, ldp.DecisionStump]
LARGE = 64.0  # no report is ever random, so people may be counted as if they were seen
every_model = pytest.mark.parametrize("model", MODELS)


@pytest.fixture
def denoised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Denoise the same counts once: checks fit models several times, and both models on the same people."""
    monkeypatch.setattr("ldprange.learning.estimator.estimate", _estimate_once)


_ESTIMATES: dict[bytes, ldp.Estimate] = {}


def _estimate_once(aggregate: ldp.Aggregate, **options: Any) -> ldp.Estimate:
    key = aggregate.to_bytes() + repr(options).encode()
    if key not in _ESTIMATES:
        _ESTIMATES[key] = ldp.estimate(aggregate, **options)
    return _ESTIMATES[key]


# The checks' numbers reach from −128 to 128, and their 20 to 300 people tell something only if hardly any
# noise is added. None is expected to fail.
@pytest.mark.slow  # more than a hundred checks, each of which makes models
@pytest.mark.usefixtures("denoised_once")
@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [model(epsilon=LARGE, bounds=(-128, 128), bins=64, random_state=0) for model in MODELS]
)
def test_scikit_learn_takes_it_for_one_of_its_own(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def people(users: int = 3000, seed: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(3, users, p=[0.5, 0.3, 0.2])
    return rng.normal(labels[:, None] - 1.0, 1.0, (users, 3)).clip(-5, 5), labels


def noiseless(bins: int = 16) -> ldp.LabelledPlan:
    plan = ldp.Plan(ldp.Domain.real(-5, 5, bins), LARGE, ldp.Flat(), ldp.GRR())
    return ldp.LabelledPlan(("x", "y", "z"), (plan,) * 3, (0, 1, 2), "all")


def binned(values: Floats, bins: int = 16) -> NDArray[np.int64]:
    return np.minimum(((values + 5) / 10 * bins).astype(np.int64), bins - 1)


def test_without_noise_it_is_the_model_of_exact_counts() -> None:
    x, y = people()
    new, _ = people(seed=2)
    model = ldp.NaiveBayes(plan=noiseless(), random_state=0).fit(x, y)
    twin = CategoricalNB(alpha=1 / 16, min_categories=16).fit(binned(x), y)  # one person more, over 16 bins
    np.testing.assert_array_equal(model.predict(new), twin.predict(binned(new)))
    np.testing.assert_allclose(model.predict_proba(new), twin.predict_proba(binned(new)), rtol=1e-6)


def test_without_noise_the_stump_is_the_tree_of_depth_one() -> None:
    x, y = people()
    x[:, 2] = np.where(y == 0, x[:, 2], x[:, 2] / 5 + 3)  # one attribute tells the most
    stump = ldp.DecisionStump(plan=noiseless(), random_state=0).fit(x, y)
    tree = DecisionTreeClassifier(max_depth=1).fit(binned(x), y)
    assert stump.feature_ == tree.tree_.feature[0] == 2
    assert stump.threshold_ == pytest.approx(10 * np.ceil(tree.tree_.threshold[0]) / 16 - 5)
    np.testing.assert_array_equal(stump.predict(x), tree.predict(binned(x)))


def test_people_counted_without_noise_count_as_many() -> None:
    plan = noiseless().plans[0]
    assert exact_people(ldp.simulate(plan, np.full(16, 100), seed=1)) == pytest.approx(1600)
    assert exact_people(ldp.Aggregate.empty(plan)) == 0
    noisy = ldp.Plan(plan.domain, 0.5, ldp.Flat(), ldp.GRR())
    assert exact_people(ldp.simulate(noisy, np.full(16, 100), seed=1)) < 40


@every_model
def test_reports_alone_make_the_model_that_a_rehearsal_makes(model: Callable[..., Any]) -> None:
    """Aggregates of real clients at a large ε: no coin matters, so both see the same counts."""
    x, y = people(60)
    plan = noiseless()
    client = ldp.LabelledClient(plan)
    counts = sum(
        ldp.LabelledAggregate.of(plan, label, client.encode(dict(zip(plan.attributes, row, strict=True))))
        for row, label in zip(x.tolist(), y.tolist(), strict=True)
    )
    rehearsed = model(plan=plan, random_state=3).fit(x, y)
    from_reports = model().fit_reports(counts)
    np.testing.assert_array_equal(from_reports.predict_proba(x), rehearsed.predict_proba(x))
    assert from_reports.n_features_in_ == 3
    assert from_reports.class_count_.tolist() == np.bincount(y).tolist()


@pytest.mark.slow
@every_model
def test_the_same_seed_makes_the_same_model(model: Callable[..., Any]) -> None:
    x, y = people()
    one = model(epsilon=1.0, bounds=(-5, 5), random_state=4)
    first, again = one.fit(x, y).predict_proba(x), clone(one).fit(x, y).predict_proba(x)
    other = model(epsilon=1.0, bounds=(-5, 5), random_state=5).fit(x, y).predict_proba(x)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@every_model
def test_a_model_keeps_nobody(model: Callable[..., Any]) -> None:
    """Whatever the model holds is as large for many people as for few."""
    sizes = []
    for users in (2_000, 20_000):
        x, y = people(users)
        plan = ldp.choose_labelled_plan(
            {"x": ldp.Domain.real(-5, 5, 8)}, (0, 1, 2), epsilon=1.0, expected_users=users
        )
        sizes.append(len(pickle.dumps(model(plan=plan, random_state=1).fit(x[:, :1], y))))
    assert abs(sizes[1] - sizes[0]) < 100


def test_beyond_the_bounds_is_the_bound_when_predicting_and_an_error_when_learning() -> None:
    x, y = people()
    model = ldp.NaiveBayes(epsilon=2.0, bounds=(-5, 5), random_state=0).fit(x, y)
    np.testing.assert_array_equal(
        model.predict_proba([[-99.0, 0.0, 99.0]]), model.predict_proba([[-5.0, 0.0, 5.0]])
    )
    with pytest.raises(ldp.DomainError, match=r"between -5\.0 and 5\.0, got 5\.5"):
        model.fit(np.vstack([x, [[0, 0, 5.5]]]), np.append(y, 0))


def test_names_of_columns_are_the_attributes() -> None:
    x, y = people()
    frame = pd.DataFrame(x, columns=["x", "y", "z"])
    model = ldp.NaiveBayes(epsilon=2.0, bounds=[(-5, 5), (-6, 6), (-7, 7)], random_state=0).fit(frame, y)
    assert model.plan_.attributes == ("x", "y", "z")
    assert [ends(plan.domain) for plan in model.plan_.plans] == [(-5, 5), (-6, 6), (-7, 7)]
    again = ldp.NaiveBayes(plan=model.plan_, random_state=0)
    np.testing.assert_array_equal(again.fit(frame, y).predict(frame), model.predict(frame))
    with pytest.raises(ldp.PlanError, match=r"columns must be x, y, z.* got y, x, z"):
        again.fit(frame[["y", "x", "z"]], y)


def test_a_class_of_which_nobody_reported_is_never_predicted() -> None:
    x, y = people()
    counts = ldp.simulate_labelled(noiseless(), x[y < 2], y[y < 2], seed=1)
    for model in (ldp.NaiveBayes(), ldp.DecisionStump()):
        chances = model.fit_reports(counts).predict_proba(x)
        assert np.all(chances[:, 2] == 0)
        np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_a_domain_of_one_bin_says_nothing() -> None:
    x, y = people()
    plan = ldp.Plan(ldp.Domain.real(-5, 5, 1), 1.0, ldp.Flat(), ldp.GRR())
    model = ldp.NaiveBayes(plan=ldp.LabelledPlan(("x", "y", "z"), (plan,) * 3, (0, 1, 2), "one")).fit(x, y)
    np.testing.assert_allclose(model.predict_proba(x[:1])[0], np.bincount(y) / y.size)


@pytest.mark.slow
def test_it_can_be_cross_validated() -> None:
    x, y = people(9000)
    scores = cross_val_score(ldp.NaiveBayes(epsilon=4.0, bounds=(-5, 5), random_state=0), x, y, cv=3)
    assert scores.mean() > 0.65  # the commonest class has one half


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no bounds": (
        lambda: ldp.NaiveBayes(epsilon=1.0).fit(*people()),
        "epsilon and bounds .*never taken from",
    ),
    "no ε": (lambda: ldp.NaiveBayes(bounds=(-5, 5)).fit(*people()), "epsilon and bounds"),
    "an ε that is none": (
        lambda: ldp.NaiveBayes(epsilon=-1.0, bounds=(-5, 5)).fit(*people()),
        "ε must be a finite number above 0",
    ),
    "bounds of another number": (
        lambda: ldp.NaiveBayes(epsilon=1.0, bounds=[(0, 1), (0, 1)]).fit(*people()),
        r"a pair \(low, high\)",
    ),
    "bounds that are none": (
        lambda: ldp.NaiveBayes(epsilon=1.0, bounds="wide").fit(*people()),
        r"a pair \(low, high\)",
    ),
    "bounds the other way round": (
        lambda: ldp.NaiveBayes(epsilon=1.0, bounds=(5, -5)).fit(*people()),
        "the low end must be below",
    ),
    "bins that are none": (
        lambda: ldp.NaiveBayes(epsilon=1.0, bounds=(-5, 5), bins=0).fit(*people()),
        "bins must be a whole number",
    ),
    "a plan and an ε": (
        lambda: ldp.NaiveBayes(epsilon=1.0, plan=noiseless()).fit(*people()),
        "leave these out",
    ),
    "a plan and bounds": (
        lambda: ldp.NaiveBayes(bounds=np.zeros((3, 2)), plan=noiseless()).fit(*people()),
        "leave these out",
    ),
    "a plan of one attribute": (
        lambda: ldp.NaiveBayes(plan=noiseless().plans[0]).fit(*people()),  # type: ignore[arg-type]
        "must be of type LabelledPlan",
    ),
    "columns too few": (
        lambda: ldp.NaiveBayes(plan=noiseless()).fit(people()[0][:, :2], people()[1]),
        "columns must be x, y, z",
    ),
    "an unknown class": (
        lambda: ldp.NaiveBayes(plan=noiseless()).fit(people()[0], people()[1] + 1),
        "among the classes 0, 1, 2, got 3",
    ),
    "a batch": (lambda: ldp.NaiveBayes().fit_reports([]), "must be of type LabelledAggregate"),  # type: ignore[arg-type]
    "nobody": (
        lambda: ldp.NaiveBayes().fit_reports(ldp.LabelledAggregate.empty(noiseless())),
        "at least one person's reports",
    ),
    "reports of another plan": (
        lambda: ldp.NaiveBayes(plan=noiseless()).fit_reports(
            ldp.simulate_labelled(noiseless(8), *people(), seed=1)
        ),
        "under the model's plan",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_refused_in_words(what: str) -> None:
    work, words = WRONG[what]
    with pytest.raises(ldp.LdprangeError, match=words):
        work()


def test_what_is_not_fitted_says_so() -> None:
    with pytest.raises(NotFittedError):
        ldp.NaiveBayes().predict([[1.0]])


@pytest.mark.system
def test_scikit_learn_is_loaded_by_models_only() -> None:
    code = "import sys, ldprange; dir(ldprange); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert {"NaiveBayes", "DecisionStump"} <= set(dir(ldp))
    with pytest.raises(AttributeError, match="no attribute 'NaiveBaies'"):
        ldp.NaiveBaies  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.system
def test_without_scikit_learn_what_to_install_is_said() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import ldprange; ldprange.NaiveBayes"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "models need scikit-learn" in result.stderr
    assert "pip install 'ldprange[learn]'" in result.stderr


# The experiment


@pytest.mark.slow
def test_a_small_measurement_runs_and_is_the_same_again() -> None:
    table = list(measure(users=[500], epsilons=[4.0], repetitions=2))
    assert [row["task"] for row in table] == list(TASKS)
    again = list(measure(users=[500], epsilons=[4.0], repetitions=2, names=[list(TASKS)[-1]]))
    assert again == [table[-1]]
    assert len(draw(table).axes) == len(TASKS)


@pytest.mark.slow
def test_within_three_points_of_exact_counts() -> None:
    """The promise, on a mixture of Gaussians and on real flights: 10⁶ people, ε = 2."""
    for row in measure([1_000_000], [2.0], repetitions=1, names=["mixture", "late"]):
        assert number(row, "private") > max(number(row, "exact"), number(row, "gaussian")) - 0.03


def test_what_the_page_says_was_measured() -> None:
    table = read_table(DOCS / "models" / "accuracy.csv")
    assert summary(table) in (DOCS / "models.md").read_text(encoding="utf-8")
