"""The errata of the paper: every one is borne out by its calculation."""

from __future__ import annotations

import pytest

from experiments.errata import ERRATA, Erratum, RefutedError
from experiments.errata.erratum import holds


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: str(erratum.number))
def test_erratum_is_borne_out(erratum: Erratum) -> None:
    evidence = erratum.check()
    assert evidence
    assert "\n" not in evidence


def test_errata_are_numbered_from_1_without_gaps() -> None:
    assert [erratum.number for erratum in ERRATA] == list(range(1, len(ERRATA) + 1))


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: str(erratum.number))
def test_erratum_says_where_what_and_what_instead(erratum: Erratum) -> None:
    assert erratum.place
    assert erratum.printed
    assert erratum.correct
    assert erratum.printed != erratum.correct


def test_no_two_errata_are_the_same() -> None:
    assert (
        len({erratum.printed for erratum in ERRATA})
        == len({erratum.check for erratum in ERRATA})
        == len(ERRATA)
    )


def test_calculation_that_fails_refutes_its_erratum() -> None:
    holds(True, "this")
    with pytest.raises(RefutedError, match="that pigs fly"):
        holds(False, "pigs fly")
