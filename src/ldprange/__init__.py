"""Range, prefix and quantile questions under local differential privacy, with honest intervals.

Names are imported when they are first asked for, so that a program pays for what it uses: ``import ldprange``
alone loads nothing, not even NumPy.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ldprange.errors import MissingPackageError

if TYPE_CHECKING:  # the same once more, for type checkers and editors, which read but do not run it
    from ldprange import wire as wire
    from ldprange.aggregate import Aggregate as Aggregate
    from ldprange.answer import Answer as Answer
    from ldprange.client.encoding import Client as Client
    from ldprange.client.ledger import Ledger as Ledger
    from ldprange.client.sender import Sender as Sender
    from ldprange.decompositions import Flat as Flat
    from ldprange.decompositions import Grids as Grids
    from ldprange.decompositions import Haar as Haar
    from ldprange.decompositions import Tree as Tree
    from ldprange.decompositions import Windows as Windows
    from ldprange.domain import Domain as Domain
    from ldprange.domain import Product as Product
    from ldprange.errors import ArgumentError as ArgumentError
    from ldprange.errors import ArgumentTypeError as ArgumentTypeError
    from ldprange.errors import BudgetError as BudgetError
    from ldprange.errors import DomainError as DomainError
    from ldprange.errors import EngineError as EngineError
    from ldprange.errors import FileError as FileError
    from ldprange.errors import LdprangeError as LdprangeError
    from ldprange.errors import MismatchError as MismatchError
    from ldprange.errors import MissingPackageError as MissingPackageError
    from ldprange.errors import PlanError as PlanError
    from ldprange.errors import QueryError as QueryError
    from ldprange.errors import SendError as SendError
    from ldprange.errors import StoreError as StoreError
    from ldprange.errors import WireError as WireError
    from ldprange.estimation import Estimate as Estimate
    from ldprange.estimation import JointEstimate as JointEstimate
    from ldprange.estimation import estimate as estimate
    from ldprange.estimation import predict_estimate as predict_estimate
    from ldprange.influence import Influence as Influence
    from ldprange.learning import LabelledAggregate as LabelledAggregate
    from ldprange.learning import LabelledClient as LabelledClient
    from ldprange.learning import LabelledPlan as LabelledPlan
    from ldprange.learning import choose_labelled_plan as choose_labelled_plan
    from ldprange.learning import simulate_labelled as simulate_labelled
    from ldprange.learning.naive_bayes import NaiveBayes as NaiveBayes
    from ldprange.learning.stump import DecisionStump as DecisionStump
    from ldprange.oracles import GRR as GRR
    from ldprange.oracles import HRR as HRR
    from ldprange.oracles import OLH as OLH
    from ldprange.oracles import OUE as OUE
    from ldprange.oracles import HadamardHashing as HadamardHashing
    from ldprange.oracles import SubsetSelection as SubsetSelection
    from ldprange.plan import Plan as Plan
    from ldprange.planner import Candidate as Candidate
    from ldprange.planner import Comparison as Comparison
    from ldprange.planner import Outlook as Outlook
    from ldprange.planner import choose_plan as choose_plan
    from ldprange.planner import compare_plans as compare_plans
    from ldprange.planner import epsilon_needed as epsilon_needed
    from ldprange.planner import optimise_plan as optimise_plan
    from ldprange.planner import outlook as outlook
    from ldprange.planner import useful_bins as useful_bins
    from ldprange.planner import users_needed as users_needed
    from ldprange.prediction import Prediction as Prediction
    from ldprange.rehearsal import DenoisedPrediction as DenoisedPrediction
    from ldprange.rehearsal import Rehearsal as Rehearsal
    from ldprange.rehearsal import Score as Score
    from ldprange.rehearsal import predict_denoised as predict_denoised
    from ldprange.rehearsal import rehearse as rehearse
    from ldprange.reports import Batch as Batch
    from ldprange.reports import Report as Report
    from ldprange.simulation import encode_many as encode_many
    from ldprange.simulation import simulate as simulate
    from ldprange.simulation import simulate_values as simulate_values
    from ldprange.tampering.check import Check as Check
    from ldprange.tampering.check import Finding as Finding
    from ldprange.tampering.check import check as check

__version__ = "0.1.0"

_HOMES = {
    name: f"ldprange.{module}"
    for module, names in {
        "aggregate": ["Aggregate"],
        "answer": ["Answer"],
        "client.encoding": ["Client"],
        "client.ledger": ["Ledger"],
        "client.sender": ["Sender"],
        "decompositions": ["Flat", "Grids", "Haar", "Tree", "Windows"],
        "domain": ["Domain", "Product"],
        "errors": [
            "ArgumentError",
            "ArgumentTypeError",
            "BudgetError",
            "DomainError",
            "EngineError",
            "FileError",
            "LdprangeError",
            "MismatchError",
            "MissingPackageError",
            "PlanError",
            "QueryError",
            "SendError",
            "StoreError",
            "WireError",
        ],
        "estimation": ["Estimate", "JointEstimate", "estimate", "predict_estimate"],
        "influence": ["Influence"],
        "learning": [
            "LabelledAggregate",
            "LabelledClient",
            "LabelledPlan",
            "choose_labelled_plan",
            "simulate_labelled",
        ],
        "oracles": ["GRR", "HRR", "OLH", "OUE", "HadamardHashing", "SubsetSelection"],
        "plan": ["Plan"],
        "planner": [
            "Candidate",
            "Comparison",
            "Outlook",
            "choose_plan",
            "compare_plans",
            "epsilon_needed",
            "optimise_plan",
            "outlook",
            "useful_bins",
            "users_needed",
        ],
        "prediction": ["Prediction"],
        "rehearsal": ["DenoisedPrediction", "Rehearsal", "Score", "predict_denoised", "rehearse"],
        "reports": ["Batch", "Report"],
        "simulation": ["encode_many", "simulate", "simulate_values"],
        "tampering.check": ["Check", "Finding", "check"],
    }.items()
    for name in names
}
_MODELS = {"DecisionStump": "ldprange.learning.stump", "NaiveBayes": "ldprange.learning.naive_bayes"}

__all__ = ["wire", *_HOMES]  # without models: they need scikit-learn, which is optional

if not TYPE_CHECKING:  # or every name would pass for an attribute

    def __getattr__(name: str) -> Any:
        try:
            if home := {**_HOMES, **_MODELS}.get(name):
                found = getattr(import_module(home), name)
            elif not name.startswith("_") and find_spec(f"ldprange.{name}"):
                found = import_module(f"ldprange.{name}")
            else:
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        except MissingPackageError as error:  # then this is an attribute that is not there
            raise AttributeError(f"{name}: {error}", name=name) from None
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Return the names that can be had: models only where scikit-learn is installed."""
    return sorted({*globals(), *__all__, *(_MODELS if _is_installed("sklearn") else ())})


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
