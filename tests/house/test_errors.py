"""Errors: each is of its kind and of Python's, stands in the tree, and loses nothing on its way up."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from ldprange import errors

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Flat(), ldp.GRR())
PARTNERS = (ValueError, TypeError, ImportError, OSError)
TREE: dict[str, tuple[type[Exception], ...]] = {
    "ArgumentError": (ValueError,),
    "ArgumentTypeError": (TypeError,),
    "BudgetError": (ValueError,),
    "DomainError": (ValueError,),
    "EngineError": (),
    "FileError": (),
    "LdprangeError": (),
    "MismatchError": (ValueError,),
    "MissingPackageError": (ImportError,),
    "PlanError": (ValueError,),
    "QueryError": (ValueError,),
    "SendError": (),
    "StoreError": (),
    "WireError": (ValueError,),
}
ANY: Any = "text"


def test_the_tree_holds_every_error_and_says_what_else_it_is() -> None:
    found = inspect.getmembers(errors, inspect.isclass)
    classes = {name: each for name, each in found if each.__module__ == errors.__name__}
    assert classes.keys() == TREE.keys()
    drawn = re.findall(r"── (\w+) +(.*?)(?: \(also an? (\w+)\))?$", str(errors.__doc__), re.MULTILINE)
    assert sorted(name for name, *_ in drawn) == sorted(TREE.keys() - {"LdprangeError"})
    for name, says, partner in drawn:
        assert [each.__name__ for each in TREE[name]] == [partner] * bool(partner)
        assert str(classes[name].__doc__).lower().startswith(says)
    for name, partners in TREE.items():
        assert issubclass(classes[name], ldp.LdprangeError)
        assert tuple(each for each in PARTNERS if issubclass(classes[name], each)) == partners
        assert getattr(ldp, name) is classes[name]


@pytest.mark.parametrize(
    ("wrong", "kind", "builtin"),
    [
        (lambda path: ldp.estimate(ANY), ldp.ArgumentTypeError, TypeError),
        (lambda path: ldp.encode_many(PLAN, [1], seed=-1), ldp.ArgumentError, ValueError),
        (lambda path: ldp.Client(PLAN).encode(10), ldp.DomainError, ValueError),
        (lambda path: ldp.Plan.from_json(""), ldp.PlanError, ValueError),
        (lambda path: ldp.Plan.load(path / "nowhere"), ldp.FileError, ldp.LdprangeError),
        (lambda path: ldp.Sender("nowhere"), ldp.ArgumentError, ValueError),
    ],
)
def test_an_error_is_also_what_python_calls_it(
    wrong: Callable[[Path], object], kind: type[Exception], builtin: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(builtin) as caught:
        wrong(tmp_path)
    assert type(caught.value) is kind


def test_an_error_that_is_given_a_name_keeps_what_it_carries() -> None:
    with pytest.raises(ldp.SendError) as caught, errors.about("people.csv"), errors.about("row 7"):
        raise ldp.SendError("the collector did not answer", batch_id="ab", status=503)
    assert str(caught.value) == "people.csv: row 7: the collector did not answer"
    assert (caught.value.batch_id, caught.value.status) == ("ab", 503)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own, as it comes back from a process)
    assert (str(again), again.batch_id, again.status) == (str(caught.value), "ab", 503)
