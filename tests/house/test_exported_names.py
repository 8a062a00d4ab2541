"""The public face: which names there are, that each says what it is, and that each is documented."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import ldprange as ldp
from ldprange.decompositions import KINDS as DECOMPOSITION_KINDS
from ldprange.oracles import KINDS as ORACLE_KINDS
from ldprange.oracles import Oracle

ROOT = Path(__file__).parents[2]
MODELS = ["DecisionStump", "NaiveBayes"]  # only where scikit-learn is installed, so not in __all__
NAMES = [
    *(kind.__name__ for kind in (*DECOMPOSITION_KINDS.values(), *ORACLE_KINDS.values())),
    "Aggregate",
    "Answer",
    "ArgumentError",
    "ArgumentTypeError",
    "Batch",
    "BudgetError",
    "Candidate",
    "Check",
    "Client",
    "Comparison",
    "DenoisedPrediction",
    "Domain",
    "DomainError",
    "EngineError",
    "Estimate",
    "FileError",
    "Finding",
    "HRR",
    "Influence",
    "JointEstimate",
    "LabelledAggregate",
    "LabelledClient",
    "LabelledPlan",
    "LdprangeError",
    "Ledger",
    "MismatchError",
    "MissingPackageError",
    "Outlook",
    "Plan",
    "PlanError",
    "Prediction",
    "Product",
    "QueryError",
    "Rehearsal",
    "Report",
    "Score",
    "SendError",
    "Sender",
    "StoreError",
    "WireError",
    "check",
    "choose_labelled_plan",
    "choose_plan",
    "compare_plans",
    "encode_many",
    "epsilon_needed",
    "estimate",
    "optimise_plan",
    "outlook",
    "predict_denoised",
    "predict_estimate",
    "rehearse",
    "simulate",
    "simulate_labelled",
    "simulate_values",
    "useful_bins",
    "users_needed",
    "wire",
]


def test_these_names_are_public_and_no_others() -> None:
    assert sorted(ldp.__all__) == sorted(NAMES)


@pytest.mark.parametrize("name", [*NAMES, *MODELS])
def test_a_public_name_can_be_had_and_says_what_it_is(name: str) -> None:
    if name in MODELS:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed, so models were NOT tested")
    documentation = getattr(ldp, name).__doc__
    assert documentation
    assert not documentation.startswith(f"{name}(")  # what a dataclass says of itself where nobody did


def test_every_public_name_has_one_line_in_the_reference_and_nothing_else_has() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted([*NAMES, *MODELS])
    assert "(docs/reference.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_the_reference_says_that_a_name_has_is_there() -> None:
    """Such as `.predict` of `Plan`: fields of answers and of predictions too."""
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    told = [
        (name, attribute)
        for name, says in re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
        for attribute in re.findall(r"`\.(\w+)", says)
    ]
    assert ("Plan", "predict") in told
    instances = {"SendError": ldp.SendError("")}
    for name, attribute in told:
        owner = instances.get(name, getattr(ldp, name))
        assert hasattr(owner, attribute) or attribute in owner.__annotations__, (name, attribute)


@pytest.mark.parametrize(
    "name",
    [
        "choose_plan",
        "compare_plans",
        "optimise_plan",
        "outlook",
        "users_needed",
        "epsilon_needed",
        "useful_bins",
    ],
)
def test_the_planner_takes_all_but_the_domain_by_the_same_keywords(name: str) -> None:
    parameters = inspect.signature(getattr(ldp, name)).parameters.values()
    named = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert {each.name for each in parameters} - named <= {"domain"}
    assert named <= {
        *("epsilon", "expected_users", "error", "decomposition", "oracle", "workload", "answers"),
        "max_influence",
    }


@pytest.mark.parametrize("kind", ORACLE_KINDS.values())
def test_an_oracle_is_shown_by_a_name_that_can_be_imported(kind: type[Oracle]) -> None:
    names = {name: getattr(ldp, name) for name in ldp.__all__}  # the package has a name once it was asked for
    assert eval(repr(kind()), names) == kind()  # noqa: S307 (our own text)


def test_hrr_is_shown_as_what_it_is() -> None:
    assert repr(ldp.HRR()) == "HadamardHashing(bits=1)"
