"""``ldprange audit``."""

from dataclasses import replace

import click
from rich.progress import Progress, SpinnerColumn, TextColumn

from ldprange.audit.auditing import RUNS, Audit, audit_object, named
from ldprange.audit.auditing import audit as audit_plan
from ldprange.audit.black_box import CONFIDENCE, BlackBox
from ldprange.audit.page import audit_page, told_by
from ldprange.cli.command import command
from ldprange.cli.options import check_output, json_option, plan_argument
from ldprange.cli.output import answers, console, facts, note, print_json
from ldprange.cli.summary import oracle_name
from ldprange.client.acceptance import refusals
from ldprange.files.sniffing import SWAP, Kind, beginning, expect, kind_of
from ldprange.files.sources import opened
from ldprange.learning.plan import LabelledPlan
from ldprange.plan import Plan
from ldprange.support.whole_files import text_of, whole_file

FOUND_WRONG = 1


@command(
    "ldprange audit ages.plan.json",
    "ldprange audit ages.plan.json --exact --json",
    "ldprange audit ages.plan.json --runs 10000000 --html audit.html",
    name="audit",
)
@plan_argument
@click.option("--exact", "only_exact", is_flag=True, help="Calculate the true ε, and run nothing.")
@click.option(
    "--runs",
    type=click.IntRange(min=100),
    default=RUNS,
    help="How often encode_many is run on each value; clients, which are slower, a twentieth of it.",
)
@click.option("--max-epsilon", type=float, metavar="NUMBER", help="A plan that asks for more ε is wrong.")
@click.option("--fingerprint", metavar="DIGITS", help="A plan of another fingerprint is wrong.")
@click.option("--html", "page", metavar="FILE", help="Also write a report that can be filed, one page.")
@json_option
def audit(
    plan_file: str,
    only_exact: bool,
    runs: int,
    max_epsilon: float | None,
    fingerprint: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    """Show that what is shipped is as private as a plan says.

    The true ε of every level is calculated exactly, from the integers that clients compare random numbers
    with. Then the Python client, encode_many, and the JavaScript client in Node and in a browser (where they
    are installed) are run many times on two values, and what their reports show of ε is a lower bound: it
    must not be above what the plan says. And their random numbers must be the operating system's.

    Exits with 1 if something is wrong. A large ε is not, unless you say how much you accept (--max-epsilon).
    """
    plan = _read(plan_file)
    refused = refusals(plan, max_epsilon, fingerprint)
    if page is not None:
        check_output(page, [plan_file])
    screen = console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as shown:
        task, done = shown.add_task("coins"), dict[str, int]()

        def progress(what: str, made: int) -> None:
            done[what] = done.get(what, 0) + made
            shown.update(task, description=f"{what}: {done[what]:,} reports")

        found = audit_plan(plan, runs=runs, only_exact=only_exact, progress=progress)
    found = replace(found, refusals=tuple(refused))
    if page is not None:
        with whole_file(page) as file:
            file.write(audit_page(found).encode())
    if as_json:
        print_json(audit_object(found))
    else:
        _show(found, only_exact)
    if page is not None:
        note(f"the report is in {page}")
    if found.wrong:
        for each in found.wrong:
            click.echo(f"wrong: {each}", err=True)
        click.get_current_context().exit(FOUND_WRONG)


def _read(path: str) -> Plan | LabelledPlan:
    """Read a plan, or a labelled plan."""
    with opened(path) as file:
        if kind_of(beginning(file)) is not Kind.LABELLED_PLAN:
            expect(Kind.PLAN, file, "a plan", dict.fromkeys(Kind, SWAP))
        text = text_of(file.read())
        return LabelledPlan.from_json(text) if '"ldprange_labelled_plan"' in text else Plan.from_json(text)


def _show(found: Audit, only_exact: bool) -> None:
    screen, exact = console(), found.exact
    verdict = "never more than stated" if exact.holds else "MORE THAN STATED"
    told, times = told_by(max(exact.stated, exact.epsilon))
    screen.print(
        facts(
            [
                ("plan", found.plan.fingerprint),
                ("stated ε", f"{exact.stated:.12g}"),
                ("exact ε", f"{exact.epsilon:.12g}, {verdict}"),
                ("worst ratio", str(exact.worst_ratio)),
                ("one report", told),
                ("guessing", f"between two answers, right {times} times in 100 at worst; 50 without it"),
            ]
        )
    )
    labelled = isinstance(found.plan, LabelledPlan)
    headings = ("level", "oracle", "cells", "asked", "exact ε")
    rows = [
        (
            f"{each.attribute} {each.level + 1}" if labelled else str(each.level + 1),
            oracle_name(each.oracle),
            f"{each.cells:,}",
            f"{100 * float(each.chance):.3g}%",
            f"{each.epsilon:.12g}",
        )
        for each in exact.levels
    ]
    screen.print(answers(headings, rows))
    if only_exact:
        return
    ran = [_box_row(name, box) for name, box in found.boxes]
    screen.print(answers(("what was run", "runs", "ε is at least", "what told most"), ran))
    screen.print(f"All lower bounds hold together with a confidence of {100 * CONFIDENCE:.4f}%.")
    coins = [(f"{each.artefact}: {each.what}", each.verdict) for each in found.coins]
    screen.print(answers(("coins", ""), coins))


def _box_row(name: str, box: BlackBox) -> tuple[str, ...]:
    what = named(name, box.artefact)
    if box.not_run:
        return what, "", "not run", box.not_run
    worst = max(box.findings, key=lambda each: each.least_epsilon, default=None)
    if worst is None:
        return what, "", "nothing" if not box.wrong else "WRONG", box.wrong or "all values are one"
    told = box.wrong or f"{worst.event}, {worst.seen[0]:,} to {worst.seen[1]:,} times"
    return what, f"{worst.runs:,}", f"{worst.least_epsilon:.4f}", told
