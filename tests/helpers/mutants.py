"""All mutants: of the two clients, of the randomisers, and of the compiled kernels."""

from __future__ import annotations

from compiled_mutants import COMPILED
from javascript_mutants import JAVASCRIPT
from mutant import Mutant
from python_mutants import PYTHON

__all__ = ["ALL", "COMPILED", "JAVASCRIPT", "PYTHON", "SAMPLED", "Mutant"]

ALL = PYTHON + JAVASCRIPT + COMPILED

SAMPLED = COMPILED[::12]
"""Some of those that must be compiled, which takes long."""
