"""New surveys: the options that describe them."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from ldprange.cli.command import with_options
from ldprange.cli.domains import add_domain_options, take_domain
from ldprange.cli.options import answers_option, check_answers, epsilon_option, users_option
from ldprange.cli.output import note
from ldprange.cli.steering import ask_for_users, steer
from ldprange.cli.summary import warn_if_weak
from ldprange.domain import Domain
from ldprange.files import read_plan
from ldprange.plan import Plan
from ldprange.planner import choose_plan
from ldprange.planner.choose import Answers
from ldprange.planner.outlooks import points
from ldprange.planner.typical_error import typical_margin, typical_question
from ldprange.support.checking import counted, listed, shown

_MAX_NAME_LENGTH = 40
_FOR_INSTANCE = [100, 1_000, 10_000]  # people, where nobody says how many will answer


@dataclass(frozen=True)
class NewSurvey:
    """A survey that is to be: its description in JSON types, its plan, and for how many people, if known.

    ``answers`` are those for which the plan was made.
    """

    description: dict[str, Any]
    plan: Plan
    users: int | None
    answers: Answers

    def tell(self) -> None:
        """Say how much it will tell and, if that is little, what would help."""
        denoised = self.answers == "denoised"
        if self.users is not None and not denoised and steer(self.plan, self.users):
            return
        asked = _FOR_INSTANCE if self.users is None else [self.users]
        known = [
            f"{points(typical_margin(self.plan, users))} with {counted(users, 'answer', 'answers')}"
            for users in asked
        ]
        what = typical_question(self.plan.domain)
        note(f"you'll know the share of people in a typical {what} to {', '.join(known)} (percentage points)")
        if denoised:
            note("denoised answers usually have less error: ldprange plan --answers denoised says how much")
        if self.users is None:
            note("add --users with the number of people you expect, to see what would make that better")


def tell_all(surveys: Sequence[NewSurvey]) -> None:
    """Say how much each of the ``surveys`` will tell, and whether together they protect anybody."""
    epsilons = [survey.plan.epsilon for survey in surveys]
    for survey in surveys:
        if len(surveys) > 1:
            note(f"{survey.description['question']} (ε = {survey.plan.epsilon:g})")
        survey.tell()
    if len(surveys) > 1:
        note(
            f"people who answer {'both' if len(surveys) == 2 else f'all {len(surveys)}'} questions spend "
            f"ε = {' + '.join(f'{epsilon:g}' for epsilon in epsilons)} = {sum(epsilons):g} in total"
        )
    warn_if_weak(sum(epsilons))


def survey_options(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a SurveyCommand the options of new surveys, and its function the ``surveys``, one per question.

    Unless a question is required, there may be none.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_surveys(*, described: list[dict[str, Any]], **given: Any) -> None:
            surveys = [new for options in described if (new := _take_survey(options)) is not None]
            others = described[0]  # what describes no survey belongs to the whole line
            command(surveys=surveys, **{name: given[name] for name in others})

        return with_options(
            with_surveys,
            click.option(
                "--question", metavar="TEXT", required=required, help="The question that people answer."
            ),
            click.option(
                "--name", help="The name of the survey in its link; taken from the question if left out."
            ),
            click.option("--unit", metavar="TEXT", help="The unit of the numbers, such as minutes."),
            click.option("--public", is_flag=True, help="Anybody may see the results, without a token."),
            click.option(
                "--batches",
                is_flag=True,
                help="A submission may contain many reports, for programs that send for many people.",
            ),
            click.option(
                "--plan",
                "plan_file",
                metavar="FILE",
                help="A file with the plan; made from the options below if left out.",
            ),
            add_domain_options,
            epsilon_option(),
            users_option(
                help="How many people you expect; you'll see what you can learn from them. With four "
                "attributes or more, the plan depends on it."
            ),
            answers_option,
        )

    return decorate


def _take_survey(options: dict[str, Any]) -> NewSurvey | None:
    """Return the survey that ``options`` describe, if any, and take what describes it out of them."""
    question, name, unit, public, batches, plan_file = (
        options.pop(key) for key in ("question", "name", "unit", "public", "batches", "plan_file")
    )
    epsilon, users, answers = (options.pop(key) for key in ("epsilon", "users", "answers"))
    domain = take_domain(options, required=False)
    if question is None:
        described = {
            "--name": name,
            "--unit": unit,
            "--public": public,
            "--batches": batches,
            "--plan": plan_file,
            "what values there are": domain,
            "--epsilon": epsilon,
            "--users": users,
            "--answers": answers != "unbiased",
        }
        if given := [option for option, value in described.items() if value]:
            raise click.UsageError(
                f"{listed(given)} describe{'s' * (len(given) == 1)} a survey, and a survey needs a question; "
                "add --question"
            )
        return None
    plan = _plan(question, plan_file, domain, epsilon, users, answers)
    description = {
        "name": _name(question) if name is None else name,
        "question": question,
        "unit": unit or "",
        "public": public,
        "batches": batches,
        "plan": plan.to_dict(),
    }
    return NewSurvey(description, plan, users, answers)


def _plan(
    question: str,
    plan_file: str | None,
    domain: Domain | None,
    epsilon: float | None,
    users: int | None,
    answers: Answers,
) -> Plan:
    if plan_file is not None:
        if domain or epsilon or answers != "unbiased":
            raise click.UsageError(
                "--plan already says which values, which ε and for which answers; leave out the other options"
            )
        return read_plan(plan_file)
    if domain is None or epsilon is None:
        missing = "the values people may have, such as --low and --high" if domain is None else "--epsilon"
        raise click.UsageError(f"the question {shown(question)} needs {missing}; add it after the question")
    check_answers(answers, users)
    best = choose_plan(domain, epsilon=epsilon, expected_users=users or 1, answers=answers)
    ask_for_users(best, users)
    return best


def _name(question: str) -> str:
    """Return a name for the link: the question's first words, without accents.

    >>> _name("Größe Ihres Hauses, in m²?")
    'grosse-ihres-hauses-in-m2'
    """
    plain = unicodedata.normalize("NFKD", question.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    name = re.sub("[^a-z0-9]+", "-", letters).strip("-")
    return name[:_MAX_NAME_LENGTH].rstrip("-") or "survey"
