"""Rehearsals on people's values: the error that a plan predicts beside the one that is measured."""

from ldprange.rehearsal.rehearsing import Rehearsal, rehearse
from ldprange.rehearsal.scoring import Score

__all__ = ["Rehearsal", "Score", "rehearse"]
