"""An audit as one page that can be filed: no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import exp

from ldprange.audit.auditing import Audit, named, versions
from ldprange.audit.black_box import CONFIDENCE
from ldprange.learning.plan import LabelledPlan

PRIORS = (0.01, 0.1, 0.5, 0.9)
"""How likely somebody takes an answer to be before they see a report of it."""

_A_HINT, _MUCH = 0.75, 0.9  # what the survey page says, and from which chance of guessing right on
_TOLD = (
    "It tells little about its sender.",
    "It gives a hint of what its sender answered.",
    "Chance changes little: the report can give the answer away.",
)
_STYLE = """
body { margin: 0 auto; max-width: 56rem; padding: 2.5rem 1.5rem; color: #16202c; background: #fff;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
p { margin: .5rem 0; } .quiet { color: #526071; } code { font-size: .85em; overflow-wrap: anywhere; }
.verdict { margin: 1.2rem 0; padding: .9rem 1.1rem; border-left: .35rem solid #1d6b3c; background: #eef6f0; }
.verdict.bad { border-color: #a32121; background: #fbeeee; }
table { border-collapse: collapse; width: 100%; margin: .7rem 0; font-size: .93rem; }
th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #d5dbe3;
  vertical-align: top; }
th { font-weight: 600; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
@media print { body { padding: 0; } h2, tr, .verdict { break-inside: avoid; } }
"""


def audit_page(found: Audit) -> str:
    """Return what an audit ``found`` as HTML."""
    exact = found.exact
    parts = [
        "<h1>Privacy audit</h1>",
        f'<p class="quiet">Plan <code>{found.plan.fingerprint}</code>, {found.made_on.isoformat()}</p>',
        f"<p>What is asked: {escape(_asked(found))}.</p>",
        _verdict(found),
        "<h2>Who can learn what</h2>",
        _table(("who", "what they see", "what it tells about one person"), _who(found)),
        "<h2>How much a report tells</h2>",
        *_telling(exact.epsilon),
        "<h2>What is proved</h2>",
        "<p>Every decision of a client compares a random number with an integer. From these integers "
        "follows, exactly, how much likelier any report can be from one value than from another. The natural "
        "logarithm of that ratio, rounded up, is the exact ε.</p>",
        _table(("level", "method", "cells", "asked", "exact ε", "worst ratio"), _levels(found), (2, 3, 4)),
    ]
    if found.boxes:
        parts += [
            "<h2>What was run</h2>",
            "<p>What is shipped was run many times on two values. Half of the runs chose what tells the two "
            "apart best, the other half show by how much; so the true ε is not below the bound. A bound "
            "above the stated ε would be a fault. All bounds hold together with a confidence of "
            f"{100 * CONFIDENCE:.4f}%.</p>",
            _table(
                ("what", "values", "runs on each", "ε is at least", "what told most"), _runs(found), (2, 3)
            ),
            "<h2>Where chance comes from</h2>",
            _table(
                ("what", "must hold", "found"),
                [(each.artefact, each.what, each.verdict) for each in found.coins],
            ),
        ]
    parts += ["<h2>What was not looked at</h2>", _listed(_not_looked_at(found))]
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    parts.append(f'<p class="quiet">Made by ldprange audit; {escape(made)}.</p>')
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Privacy audit of plan {found.plan.fingerprint}</title>\n<style>{_STYLE}</style>\n</head>\n"
    )
    return head + "<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"


def _verdict(found: Audit) -> str:
    exact = found.exact
    if found.wrong:
        return f'<div class="verdict bad"><strong>Something is wrong.</strong>{_listed(found.wrong)}</div>'
    said = (
        f"<strong>Nothing wrong was found.</strong> The plan states ε = {exact.stated:g} for all that a "
        f"person reports; exactly, it is {exact.epsilon:.12g}, and never more."
    )
    return f'<div class="verdict">{said}</div>'


def _asked(found: Audit) -> str:
    if isinstance(found.plan, LabelledPlan):
        each = zip(found.plan.attributes, found.plan.plans, strict=True)
        told = "; ".join(f"{name}, {plan.domain.describe()}" for name, plan in each)
        return f"{told} ({found.plan.asked} of them, beside a public class)"
    return found.plan.domain.describe()


def _who(found: Audit) -> list[tuple[str, str, str]]:
    at_most = f"at most ε = {found.exact.epsilon:.6g}, whatever else they know"
    return [
        ("The collector", "the report, and when and from which address it came", at_most),
        (
            "Somebody who sees the wire",
            "an encrypted message; without encryption, the same as the collector. Its length depends on the "
            "randomly drawn level, and not on the answer",
            at_most,
        ),
        ("An analyst", "counts of all reports, and answers from them", f"no more than that: {at_most}"),
        ("Everybody", "the plan; that a person took part is not hidden", "nothing about the answer"),
    ]


def told_by(epsilon: float) -> tuple[str, str]:
    """Return what a report at ``epsilon`` tells of its sender, and how many of 100 guesses are right.

    The guesses are between two answers that are as likely as each other.
    """
    chance = 1 / (1 + exp(-epsilon))
    percent = round(100 * chance)
    return (
        _TOLD[(chance > _A_HINT) + (chance > _MUCH)],
        "more than 99" if percent > 99 else f"about {percent}",
    )


def _telling(epsilon: float) -> list[str]:
    told, times = told_by(epsilon)
    rows = []
    for prior in PRIORS:
        odds = prior / (1 - prior)
        most, least = (1 / (1 + 1 / (odds * factor)) for factor in (exp(epsilon), exp(-epsilon)))
        rows.append((_percent(prior), _percent(least), _percent(most)))
    return [
        "<p>Chance scrambles an answer on the device of whoever gives it, and only the scrambled report is "
        f"sent. {told} Suppose someone thinks that a person gave one of two answers, each as likely as the "
        f"other. At worst the report lets them guess right {times} times in 100; without it, 50 times.</p>",
        "<p>Whatever odds someone puts on an answer, seeing the report changes them by at most a factor of "
        f"e^ε = {exp(epsilon):.4g}. That holds whoever looks, the people who ask included, and whatever else "
        "they know.</p>",
        _table(("likely before the report", "after it, at least", "after it, at most"), rows, (0, 1, 2)),
        "<p>It covers one report under this plan. Another report of the same person, under this plan or "
        "another, adds its own ε, unless it is the same report again.</p>",
    ]


def _levels(found: Audit) -> list[tuple[str, ...]]:
    return [
        (
            f"{each.attribute} {each.level + 1}".strip(),
            each.oracle.kind,
            f"{each.cells:,}",
            _percent(float(each.chance)),
            f"{each.epsilon:.12g}",
            str(each.worst_ratio),
        )
        for each in found.exact.levels
    ]


def _runs(found: Audit) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, box in found.boxes:
        what = named(name, box.artefact)
        if box.wrong or box.not_run:
            rows.append((what, "", "", "WRONG" if box.wrong else "not run", box.wrong or box.not_run))
        rows += [
            (
                what,
                each.pair.what,
                f"{each.runs:,}",
                f"{each.least_epsilon:.4f}",
                f"{each.event}: {each.seen[0]:,} times from the one, {each.seen[1]:,} from the other",
            )
            for each in box.findings
        ]
    return rows


def _not_looked_at(found: Audit) -> list[str]:
    general = [
        "whether the device, the browser and the operating system's generator of random numbers are sound",
        "whether people answer once only: that is what a ledger on the device is for",
        "how long an encoding takes, to somebody who can measure it on the device itself",
        "what the transport adds: addresses and times",
    ]
    if not found.boxes:
        general.insert(
            0, "the clients themselves: nothing was run, and what is proved is what the plan asks of them"
        )
    elif isinstance(found.plan, LabelledPlan):
        general.insert(0, "the labelled client as a whole: the plan of each attribute was run by itself")
    return [*found.not_run, *general]


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _listed(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marks = [' class="number"' if place in numbers else "" for place in range(len(cells))]
        return "".join(
            f"<{tag}{mark}>{escape(cell)}</{tag}>" for mark, cell in zip(marks, cells, strict=True)
        )

    body = "".join(f"<tr>{row(cells, 'td')}</tr>\n" for cells in rows)
    return f"<table>\n<thead><tr>{row(headings, 'th')}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"
