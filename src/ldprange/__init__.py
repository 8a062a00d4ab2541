"""Range, prefix and quantile questions under local differential privacy, with honest intervals."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.client.encoding import Client
from ldprange.client.ledger import Ledger
from ldprange.client.sender import Sender
from ldprange.decompositions import Flat, Grids, Haar, Tree, Windows
from ldprange.domain import Domain, Product
from ldprange.errors import (
    ArgumentError,
    ArgumentTypeError,
    BudgetError,
    DomainError,
    EngineError,
    FileError,
    LdprangeError,
    MismatchError,
    MissingPackageError,
    PlanError,
    QueryError,
    SendError,
    StoreError,
    WireError,
)
from ldprange.estimation import Estimate, JointEstimate, estimate
from ldprange.influence import Influence
from ldprange.learning import (
    LabelledAggregate,
    LabelledClient,
    LabelledPlan,
    choose_labelled_plan,
    simulate_labelled,
)
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, SubsetSelection
from ldprange.plan import Plan
from ldprange.planner import (
    Candidate,
    Comparison,
    DenoisedPrediction,
    choose_plan,
    compare_plans,
    epsilon_needed,
    optimise_plan,
    predict_denoised,
    useful_bins,
    users_needed,
)
from ldprange.prediction import Prediction
from ldprange.reports import Batch, Report
from ldprange.simulation import encode_many, simulate, simulate_values
from ldprange.tampering import Check, Finding, check

if TYPE_CHECKING:
    from ldprange.learning.naive_bayes import NaiveBayes as NaiveBayes
    from ldprange.learning.stump import DecisionStump as DecisionStump

__version__ = "0.1.0"

__all__ = [
    "GRR",
    "HRR",
    "OLH",
    "OUE",
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
    "Flat",
    "Grids",
    "Haar",
    "HadamardHashing",
    "Influence",
    "JointEstimate",
    "LabelledAggregate",
    "LabelledClient",
    "LabelledPlan",
    "LdprangeError",
    "Ledger",
    "MismatchError",
    "MissingPackageError",
    "Plan",
    "PlanError",
    "Prediction",
    "Product",
    "QueryError",
    "Report",
    "SendError",
    "Sender",
    "StoreError",
    "SubsetSelection",
    "Tree",
    "Windows",
    "WireError",
    "check",
    "choose_labelled_plan",
    "choose_plan",
    "compare_plans",
    "encode_many",
    "epsilon_needed",
    "estimate",
    "optimise_plan",
    "predict_denoised",
    "simulate",
    "simulate_labelled",
    "simulate_values",
    "useful_bins",
    "users_needed",
    "wire",
]

# imported when first asked for: they need scikit-learn, which is optional and takes a second to load
_MODELS = {"DecisionStump": "ldprange.learning.stump", "NaiveBayes": "ldprange.learning.naive_bayes"}

if not TYPE_CHECKING:  # or every name would pass for an attribute

    def __getattr__(name: str) -> Any:
        if name not in _MODELS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            return getattr(import_module(_MODELS[name]), name)
        except MissingPackageError as error:  # then this is an attribute that is not there
            raise AttributeError(f"{name}: {error}", name=name) from None


def __dir__() -> list[str]:
    """Return the names that can be had: models only where scikit-learn is installed."""
    return sorted({*globals(), *(_MODELS if _is_installed("sklearn") else ())})


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
