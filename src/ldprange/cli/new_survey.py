"""A new survey: the options that describe it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ldprange.cli.domains import domain_options
from ldprange.cli.options import epsilon_option, users_option
from ldprange.domain import Domain
from ldprange.files import read_plan
from ldprange.plan import Plan
from ldprange.planner import choose_plan

_USERS = 10_000
_LONGEST_NAME = 40

Description = dict[str, Any]


def survey_options(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a new survey, and its function a ``described``, in JSON types.

    Unless a survey is required, it may be left out; it is then None.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_survey(
            *,
            question: str | None,
            name: str | None,
            unit: str | None,
            public: bool,
            plan_file: str | None,
            domain: Domain | None,
            epsilon: float | None,
            users: int | None,
            **given: Any,
        ) -> None:
            described: Description | None = None
            if question is not None:
                described = {
                    "name": _name(question) if name is None else name,
                    "question": question,
                    "unit": unit or "",
                    "public": public,
                    "plan": _plan(plan_file, domain, epsilon, users).to_dict(),
                }
            elif name or unit or public or plan_file or domain or epsilon or users:
                raise click.UsageError("what describes a survey goes with a question; add --question")
            command(described=described, **given)

        options = (
            click.option("--question", metavar="TEXT", required=required, help="What people are asked."),
            click.option("--name", help="The survey's name in its link; made from the question if left out."),
            click.option("--unit", metavar="TEXT", help="What its numbers are counted in, such as minutes."),
            click.option("--public", is_flag=True, help="Anybody may see its answers, without a token."),
            click.option(
                "--plan",
                "plan_file",
                metavar="FILE",
                help="Its plan; made from the options below if left out.",
            ),
            domain_options(required=False),
            epsilon_option(),
            users_option(help=f"How many people you expect.  [default: {_USERS:,}]"),
        )
        decorated = with_survey
        for option in reversed(options):  # the one applied last comes first in the help
            decorated = option(decorated)
        return decorated

    return decorate


def _plan(plan_file: str | None, domain: Domain | None, epsilon: float | None, users: int | None) -> Plan:
    if plan_file is not None:
        if domain or epsilon or users:
            raise click.UsageError(
                "--plan says it all; leave out --epsilon, --users and what values there may be"
            )
        return read_plan(plan_file)
    if domain is None or epsilon is None:
        raise click.UsageError("a survey needs a plan: say what values there may be and --epsilon, or --plan")
    return choose_plan(domain, epsilon, users or _USERS)


def _name(question: str) -> str:
    """Return a name for the link: the question's first words."""
    name = re.sub("[^a-z0-9]+", "-", question.lower()).strip("-")
    return name[:_LONGEST_NAME].rstrip("-") or "survey"
