"""How exact our plan is beside the paper's methods: ``python -m benchmarks.accuracy``, under a minute.

Ratios of mean squared errors over all ranges; below the line is the least mean of the paper's methods, for
the same people at the same ε. A few repetitions, so a ratio is good to a tenth or so; docs/comparison.md has
many more.
"""

from __future__ import annotations

from statistics import mean

from experiments.comparison.methods import PAPERS, WINDOWS
from experiments.comparison.runs import DENOISED, DENOISED_ERRORS, ERRORS, PLAIN, Cell, Run, perform
from experiments.comparison.sizes import LN3

BINS, USERS = 256, 1 << 20
DATA = ("cauchy", "delays", "spiky", "sparse", "rough")
EPSILONS = (0.2, LN3, 2.0)
REPETITIONS = 5


def ratios(data: str, epsilon: float) -> tuple[float, float]:
    """Return the ratios of our unbiased and of our denoised estimate."""

    def measured(method: str, how: str, repetitions: int) -> list[dict[str, float]]:
        cell = Cell(BINS, data, USERS, epsilon, method)
        return [perform(Run(cell, how, repetition)) for repetition in range(repetitions)]

    best = min(mean(run[ERRORS[0]] for run in measured(paper, PLAIN, 4 * REPETITIONS)) for paper in PAPERS)
    ours = measured(WINDOWS, DENOISED, REPETITIONS)
    plain, denoised = (mean(run[name] for run in ours) / best for name in (ERRORS[0], DENOISED_ERRORS[0]))
    return plain, denoised


if __name__ == "__main__":
    print(f"D = {BINS}, N = {USERS}: unbiased · denoised, ratio to the paper's best (bars: 0.75 · 0.45)")
    print(f"{'':<10}" + "".join(f"ε = {epsilon:<12.3g}" for epsilon in EPSILONS))
    for name in DATA:
        row = (ratios(name, epsilon) for epsilon in EPSILONS)
        print(
            f"{name:<10}" + "".join(f"{plain:.2f} · {denoised:.2f}     " for plain, denoised in row),
            flush=True,
        )
