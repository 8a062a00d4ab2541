"""A new survey: the options that describe it."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from ldprange.cli.command import with_options
from ldprange.cli.domains import domain_options
from ldprange.cli.options import epsilon_option, users_option
from ldprange.cli.output import note
from ldprange.cli.steering import steer
from ldprange.cli.summary import warn_if_weak
from ldprange.domain import Domain
from ldprange.files import read_plan
from ldprange.plan import Plan
from ldprange.planner import choose_plan
from ldprange.planner.outlooks import points

_MAX_NAME_LENGTH = 40
_FOR_INSTANCE = [100, 1_000, 10_000]  # people, where nobody says how many will answer


@dataclass(frozen=True)
class NewSurvey:
    """A survey that is to be: its description in JSON types, its plan, and for how many people, if known."""

    description: dict[str, Any]
    plan: Plan
    users: int | None

    def tell(self) -> None:
        """Say how much it will tell, and whether it protects anybody."""
        asked = _FOR_INSTANCE if self.users is None else [self.users]
        known = [f"{points(self.plan.predict(users).margin)} with {users:,} answers" for users in asked]
        note(
            f"the share of people in a typical range will be known to {', '.join(known)} (percentage points)"
        )
        if self.users is None:
            note("how many people do you expect? With --users, you are told what would make that better")
        else:
            steer(self.plan, self.users)
        warn_if_weak(self.plan.epsilon)


def survey_options(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a new survey, and its function a ``new`` one.

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
            batches: bool,
            plan_file: str | None,
            domain: Domain | None,
            epsilon: float | None,
            users: int | None,
            **given: Any,
        ) -> None:
            new: NewSurvey | None = None
            if question is not None:
                plan = _plan(plan_file, domain, epsilon)
                description = {
                    "name": _name(question) if name is None else name,
                    "question": question,
                    "unit": unit or "",
                    "public": public,
                    "batches": batches,
                    "plan": plan.to_dict(),
                }
                new = NewSurvey(description, plan, users)
            elif name or unit or public or batches or plan_file or domain or epsilon or users:
                raise click.UsageError("what describes a survey goes with a question; add --question")
            command(new=new, **given)

        return with_options(
            with_survey,
            click.option("--question", metavar="TEXT", required=required, help="What people are asked."),
            click.option("--name", help="The survey's name in its link; made from the question if left out."),
            click.option("--unit", metavar="TEXT", help="What its numbers are counted in, such as minutes."),
            click.option("--public", is_flag=True, help="Anybody may see its answers, without a token."),
            click.option(
                "--batches",
                is_flag=True,
                help="A submission may hold many reports, as programs send them; otherwise one.",
            ),
            click.option(
                "--plan",
                "plan_file",
                metavar="FILE",
                help="Its plan; made from the options below if left out.",
            ),
            domain_options(required=False),
            epsilon_option(),
            users_option(help="How many people you expect to answer; you are told what they can tell."),
        )

    return decorate


def _plan(plan_file: str | None, domain: Domain | None, epsilon: float | None) -> Plan:
    if plan_file is not None:
        if domain or epsilon:
            raise click.UsageError("--plan says it all; leave out --epsilon and what values there may be")
        return read_plan(plan_file)
    if domain is None or epsilon is None:
        missing = "what values there may be, such as --low and --high" if domain is None else "--epsilon"
        raise click.UsageError(f"a survey needs a plan, and one thing is missing for it: {missing}")
    return choose_plan(domain, epsilon=epsilon, expected_users=1)  # the plan is the same for any number


def _name(question: str) -> str:
    """Return a name for the link: the question's first words, without accents.

    >>> _name("Größe Ihres Hauses, in m²?")
    'grosse-ihres-hauses-in-m2'
    """
    plain = unicodedata.normalize("NFKD", question.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    name = re.sub("[^a-z0-9]+", "-", letters).strip("-")
    return name[:_MAX_NAME_LENGTH].rstrip("-") or "survey"
