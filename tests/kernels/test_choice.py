"""Which of the twins is used, and that it makes no difference to a rehearsal."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from kernel_twins import needs_compiled

REHEARSE = """
import hashlib
import numpy as np
import ldprange as ldp
from ldprange import kernels
digest = hashlib.sha256()
for decomposition, oracle in (
    (ldp.Haar(), ldp.HRR()),
    (ldp.Tree(4), ldp.HadamardHashing()),
    (ldp.Tree(3), ldp.OLH()),
    (ldp.Windows(), ldp.OUE()),
    (ldp.Windows(), ldp.SubsetSelection()),
    (ldp.Flat(), ldp.GRR()),
    (ldp.Tree(2), ldp.SubsetSelection()),
):
    plan = ldp.Plan(ldp.Domain.integers(-5, 94), 1.1, decomposition, oracle)
    people = np.random.default_rng(1).integers(-5, 95, 3000)
    digest.update(ldp.simulate_values(plan, people, seed=1).to_bytes())
    digest.update(ldp.simulate(plan, plan.domain.count(people), seed=2).to_bytes())
print(kernels.KIND, digest.hexdigest())
"""


def chosen(kind: str, code: str = REHEARSE) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LDPRANGE_KERNELS": kind}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


@needs_compiled
@pytest.mark.system
def test_a_seed_means_the_same_with_either() -> None:
    found = [chosen(kind).stdout.split() for kind in ("numpy", "compiled", "")]
    assert [kind for kind, _ in found] == ["numpy", "compiled", "compiled"]
    assert len({digest for _, digest in found}) == 1


@pytest.mark.system
def test_a_kind_that_is_not_there_is_refused() -> None:
    refused = chosen("fortran", "import ldprange.kernels")
    assert refused.returncode == 1
    assert "must be numpy or compiled" in refused.stderr


@pytest.mark.system
def test_without_the_compiled_ones_the_numpy_kernels_are_used() -> None:
    missing = "import sys; sys.modules['ldprange.kernels._compiled'] = None"
    found = chosen("", f"{missing}; from ldprange import kernels; print(kernels.KIND)")
    assert found.stdout == "numpy\n"


@pytest.mark.parametrize(("oracle", "decomposition"), [(ldp.HRR(), ldp.Haar()), (ldp.HRR(), ldp.Tree(4))])
def test_a_rehearsal_counts_what_encode_many_sends(oracle: ldp.HadamardHashing, decomposition: Any) -> None:
    plan = ldp.Plan(ldp.Domain.integers(3, 60), 1.1, decomposition, oracle)
    people = np.random.default_rng(1).integers(3, 61, 5001)
    sent = ldp.Aggregate.of(plan, ldp.encode_many(plan, people, seed=4))
    assert ldp.simulate_values(plan, people, seed=4) == sent
