"""Range, prefix and quantile questions under local differential privacy, with honest intervals."""

from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.client import Client
from ldprange.decompositions import Flat, Grids, Haar, Tree, Windows
from ldprange.domain import Domain
from ldprange.errors import (
    BudgetError,
    DomainError,
    FileError,
    LdprangeError,
    MismatchError,
    PlanError,
    QueryError,
    SendError,
    WireError,
)
from ldprange.estimation import Estimate, JointEstimate, estimate
from ldprange.ledger import Ledger
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, SubsetSelection
from ldprange.plan import Plan, Prediction
from ldprange.planner import (
    choose_plan,
    compare_plans,
    epsilon_needed,
    finest_bins,
    optimise_plan,
    users_needed,
)
from ldprange.reports import Batch, Report
from ldprange.sender import Sender
from ldprange.simulation import encode_many, rehearse, simulate

__version__ = "0.1.0"

__all__ = [
    "GRR",
    "HRR",
    "OLH",
    "OUE",
    "Aggregate",
    "Answer",
    "Batch",
    "BudgetError",
    "Client",
    "Domain",
    "DomainError",
    "Estimate",
    "FileError",
    "Flat",
    "Grids",
    "Haar",
    "HadamardHashing",
    "JointEstimate",
    "LdprangeError",
    "Ledger",
    "MismatchError",
    "Plan",
    "PlanError",
    "Prediction",
    "QueryError",
    "Report",
    "SendError",
    "Sender",
    "SubsetSelection",
    "Tree",
    "Windows",
    "WireError",
    "choose_plan",
    "compare_plans",
    "encode_many",
    "epsilon_needed",
    "estimate",
    "finest_bins",
    "optimise_plan",
    "rehearse",
    "simulate",
    "users_needed",
    "wire",
]
