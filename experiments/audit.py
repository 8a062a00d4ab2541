"""The audit of every oracle, decomposition and default plan.

``python -m experiments.audit`` writes it into ``docs/audit.md``. ``--runs`` is how often ``encode_many``
is run on each value; the tables there are of a million.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import ldprange as ldp
from ldprange.audit.artefacts import Artefact, JavaScriptClient, PythonClient, Rehearsal
from ldprange.audit.auditing import RUNS
from ldprange.audit.black_box import CONFIDENCE, look_at, pairs_of
from ldprange.audit.exact import exact_privacy
from ldprange.audit.javascript import Runtime, find_browser, find_node, started
from ldprange.decompositions import KINDS as DECOMPOSITIONS
from ldprange.oracles import KINDS as ORACLES

PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
EPSILONS = (0.01, 0.1, 1.0, 5.0, 10.0, 20.0)
AGES = ldp.Domain.integers(0, 119)
TWO = ldp.Domain.product(age=AGES, income=ldp.Domain.real(0, 96_000, 32))


def kinds(epsilon: float) -> Iterator[tuple[str, ldp.Plan]]:
    """Yield a plan of each kind of oracle with each kind of decomposition, on 120 bins, and their names."""
    for decomposition in DECOMPOSITIONS.values():
        if decomposition is ldp.Grids:
            continue
        split = ldp.Tree(4) if decomposition is ldp.Tree else decomposition()
        for oracle in ORACLES.values():
            yield f"{decomposition.__name__}, {oracle.__name__}", ldp.Plan(AGES, epsilon, split, oracle())


def chosen(epsilon: float) -> Iterator[tuple[str, ldp.Plan]]:
    """Yield the plans that ``choose_plan`` gives for a million people, and their names."""
    for bins in (5, 120, 1024, 65_536):
        domain = ldp.Domain.integers(1, bins)
        name = f"chosen, {bins:,} bins"
        yield name, ldp.choose_plan(domain, epsilon=epsilon, expected_users=10**6)
    denoised = ldp.choose_plan(AGES, epsilon=epsilon, expected_users=10**6, answers="denoised")
    yield "chosen for denoised answers, 120 bins", denoised
    yield "chosen, 120 × 32 bins", ldp.choose_plan(TWO, epsilon=epsilon, expected_users=10**6)


def exact_rows() -> list[list[str]]:
    """Return, for each kind of plan, how far its exact ε is below what is stated, at several ε."""
    columns = [dict(kinds(epsilon)) for epsilon in EPSILONS]
    return [[name, *(_below(plans[name]) for plans in columns)] for name in columns[0]]


def _below(plan: ldp.Plan) -> str:
    found = exact_privacy(plan)
    if not found.holds:
        return "ABOVE"
    return f"{plan.epsilon - found.epsilon:.0e}"


def shown_rows(artefacts: list[Artefact], runs: int, epsilon: float = 1.0) -> Iterator[list[str]]:
    """Yield, for each plan, its exact ε and the lower bound that each of ``artefacts`` showed."""
    plans = [*kinds(epsilon), *chosen(epsilon)]
    tests = sum(len(pairs_of(plan)) for _, plan in plans) * len(artefacts)
    for name, plan in plans:
        found = [look_at(artefact, plan, runs, (1 - CONFIDENCE) / tests) for artefact in artefacts]
        shown = [each.wrong or f"{each.least_epsilon:.3f}" for each in found]
        yield [name, f"{exact_privacy(plan).epsilon:.10f}", *shown]


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Return rows as Markdown."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def put(text: str, name: str, made: str) -> str:
    """Return ``text`` with what was ``made`` between the marks of a ``name``."""
    begin, end = f"<!-- {name}: made by python -m experiments.audit -->", f"<!-- end of {name} -->"
    changed, number = re.subn(
        f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n\n{made}\n\n{end}", text, flags=re.S
    )
    assert number == 1, name  # noqa: S101 (the page is ours)
    return changed


def exact_table() -> str:
    """Return the table of what is proved."""
    return table(["plan on 120 bins", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], exact_rows())


def main() -> None:
    """Write both tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    with ExitStack() as stack:
        artefacts: list[Artefact] = [Rehearsal(), PythonClient()]
        for found in (find_node(), find_browser()):
            runtime = stack.enter_context(started(found))
            assert isinstance(runtime, Runtime), runtime  # noqa: S101 (the page must have all)
            artefacts.append(JavaScriptClient(runtime))
        rows = []
        for row in shown_rows(artefacts, runs):
            print(" | ".join(row), flush=True)
            rows.append(row)
    headings = ["plan", "exact ε", *(artefact.name for artefact in artefacts)]
    text = put(PAGE.read_text(encoding="utf-8"), "exact", exact_table())
    PAGE.write_text(put(text, "shown", table(headings, rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
