"""Rehearsals: the error that a plan predicts beside the one measured on known people, or on many kinds."""

from ldprange.rehearsal.denoised_prediction import DenoisedPrediction, predict_denoised
from ldprange.rehearsal.rehearsing import Rehearsal, rehearse
from ldprange.rehearsal.scoring import Score

__all__ = ["DenoisedPrediction", "Rehearsal", "Score", "predict_denoised", "rehearse"]
