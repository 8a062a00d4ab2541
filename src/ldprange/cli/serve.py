"""``ldprange serve`` and ``ldprange tokens``."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click

from ldprange.cli.command import Command
from ldprange.cli.domains import domain_options
from ldprange.cli.options import epsilon_option, users_option
from ldprange.cli.screen import console, facts, note
from ldprange.cli.stores import store_options
from ldprange.domain import Domain
from ldprange.errors import LdprangeError
from ldprange.files import read_plan
from ldprange.plan import Plan
from ldprange.planner import choose_plan

if TYPE_CHECKING:
    from ldprange.service.store import Store, Survey

_USERS = 10_000
_LONGEST_NAME = 40


@click.command(
    cls=Command,
    examples=[
        'ldprange serve --question "Minutes to work?" --unit minutes --low 0 --high 120 --epsilon 1',
        "ldprange serve --data surveys --port 8080 --origin https://survey.example.org --behind-proxy",
    ],
)
@click.option("--question", metavar="TEXT", help="Open a survey with this question, unless it is there.")
@click.option("--name", help="Its name in the link; made from the question if left out.")
@click.option("--unit", default="", metavar="TEXT", help="What its numbers are counted in, such as minutes.")
@click.option("--public", is_flag=True, help="Anybody may see its answers, without a token.")
@click.option(
    "--plan", "plan_file", metavar="FILE", help="Its plan; made from the options below if left out."
)
@domain_options(required=False)
@epsilon_option()
@users_option(help=f"How many people you expect.  [default: {_USERS:,}]")
@store_options
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="And the port.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Under which people reach it, such as https://survey.example.org; may be given many times. "
    "It may be administered from there and from this machine only.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine is in front: take the sender's address from its X-Forwarded-For.",
)
@click.option(
    "--requests-per-second",
    type=click.FloatRange(min=0),
    default=100.0,
    show_default=True,
    help="From one address; 0 for no limit.",
)
@click.option(
    "--largest-batch",
    type=click.IntRange(min=64),
    default=1 << 20,
    show_default=True,
    help="Bytes of one submission.",
)
def serve(
    question: str | None,
    name: str | None,
    unit: str,
    public: bool,
    plan_file: str | None,
    domain: Domain | None,
    epsilon: float | None,
    users: int | None,
    place: str,
    host: str,
    port: int,
    origins: tuple[str, ...],
    behind_proxy: bool,
    requests_per_second: float,
    largest_batch: int,
) -> None:
    """Collect reports: a service with a page on which people answer, and a dashboard.

    With --question, a survey is opened and its links are printed; more can be made later with
    ldprange survey. Everything is kept in one directory; what is acknowledged is on the disk.
    """
    from ldprange.service.access import origin_of
    from ldprange.service.collector import Collector, Settings
    from ldprange.service.server import listen, make_server
    from ldprange.service.store import Store

    settings = Settings(tuple(map(origin_of, origins)), requests_per_second, largest_batch)
    plan = _plan(question, plan_file, domain, epsilon, users)
    store = Store(place, create=True)
    store.lock()
    survey = _survey(store, plan, question, name, unit, public) if plan and question else None
    listening = listen(host, port)
    host, port = listening.getsockname()[:2]
    here = (
        settings.origins[0] if settings.origins else f"http://{f'[{host}]' if ':' in host else host}:{port}"
    )
    _announce(store, survey, here)
    make_server(Collector(store, settings), behind_proxy=behind_proxy).run(sockets=[listening])


def _plan(
    question: str | None,
    plan_file: str | None,
    domain: Domain | None,
    epsilon: float | None,
    users: int | None,
) -> Plan | None:
    """Return the new survey's plan, if there is to be one."""
    if question is None:
        if plan_file or domain or epsilon:
            raise click.UsageError("a plan goes with a question; add --question")
        return None
    if plan_file is not None:
        if domain or epsilon or users:
            raise click.UsageError(
                "--plan says it all; leave out what values there may be, --epsilon and --users"
            )
        return read_plan(plan_file)
    if domain is None or epsilon is None:
        raise click.UsageError("a survey needs a plan: say what values there may be and --epsilon, or --plan")
    return choose_plan(domain, epsilon, users or _USERS)


def _survey(store: Store, plan: Plan, question: str, name: str | None, unit: str, public: bool) -> Survey:
    """Return the survey that is asked for: made now, or when the command was given before."""
    from ldprange.service.collector import survey_of

    name = name or _name(question)
    wanted = survey_of(
        {"name": name, "question": question, "unit": unit, "public": public, "plan": plan.to_dict()}
    )
    added = store.add_survey(wanted.name, wanted.question, wanted.unit, wanted.public, wanted.plan)
    if added is not None:
        return added
    there = next(survey for survey in store.surveys() if survey.name == name)
    if (there.question, there.plan.fingerprint) != (wanted.question, plan.fingerprint):
        raise LdprangeError(
            f"a survey's name must be its own, and {name} is there with another question or plan; "
            "choose another --name"
        )
    return there


def _name(question: str) -> str:
    """Return a name for the link: the question's first words."""
    name = re.sub("[^a-z0-9]+", "-", question.lower()).strip("-")
    return name[:_LONGEST_NAME].rstrip("-") or "survey"


def _announce(store: Store, survey: Survey | None, here: str) -> None:
    """Print the links, and at the first start the tokens: once, and to people only."""
    from ldprange.service.access import ANALYST, digest, new_tokens

    rows, tokens = [], {}
    if not store.digests():
        if sys.stdout.isatty():
            tokens = new_tokens()
            store.keep_digests({role: digest(token) for role, token in tokens.items()})
        else:
            note("there are no tokens yet, and only a terminal is shown them; make them with ldprange tokens")
    if survey is not None:
        fragment = f"#token={tokens[ANALYST]}" if tokens and not survey.public else ""
        rows += [
            ("share this link", f"{here}/s/{survey.name}"),
            ("dashboard", f"{here}/d/{survey.name}{fragment}"),
        ]
    else:
        rows += [("collector", here)]
    rows += [(f"{role}'s token", token) for role, token in tokens.items()]
    screen = console()
    screen.print(facts(rows), soft_wrap=True)
    if tokens:
        note("the tokens are shown this once, and kept as digests only; ldprange tokens makes new ones")
    note("stop with Ctrl-C; nothing that was acknowledged is lost")


@click.command(cls=Command, examples=["ldprange tokens", "ldprange tokens --data surveys"])
@store_options
def tokens(place: str) -> None:
    """Make new tokens for the administrator and the analyst, and print them.

    The old ones end when the collector is started again.
    """
    from ldprange.service.access import digest, new_tokens
    from ldprange.service.store import Store

    store, made = Store(place), new_tokens()
    store.keep_digests({role: digest(token) for role, token in made.items()})
    store.close()
    console().print(facts([(f"{role}'s token", token) for role, token in made.items()]), soft_wrap=True)
    note("start the collector again if it runs: until then it takes the old ones")
