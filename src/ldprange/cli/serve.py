"""``ldprange serve`` and ``ldprange tokens``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ldprange.cli.command import Command
from ldprange.cli.new_survey import Description, survey_options
from ldprange.cli.screen import note, print_whole
from ldprange.cli.stores import store_options
from ldprange.errors import LdprangeError

if TYPE_CHECKING:
    from ldprange.service.store import Store, Survey


@click.command(
    cls=Command,
    examples=[
        'ldprange serve --question "Minutes to work?" --unit minutes --low 0 --high 120 --epsilon 1',
        "ldprange serve --data surveys --port 8080 --origin https://survey.example.org --behind-proxy",
    ],
)
@survey_options(required=False)
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
    described: Description | None,
    place: str,
    host: str,
    port: int,
    origins: tuple[str, ...],
    behind_proxy: bool,
    requests_per_second: float,
    largest_batch: int,
) -> None:
    """Collect reports: a service with a page on which people answer, and a dashboard.

    With --question, a survey is opened, unless it is there, and its links are printed; more can be made
    later with ldprange survey. Everything is kept in one directory; what is acknowledged is on the disk.
    """
    from ldprange.service.access import origin_of
    from ldprange.service.collector import Collector, Settings
    from ldprange.service.server import listen, make_server
    from ldprange.service.store import Store

    settings = Settings(tuple(map(origin_of, origins)), requests_per_second, largest_batch)
    with Store(place, create=True) as store, listen(host, port) as listening:
        store.lock()
        survey = None if described is None else _survey(store, described)
        host, port = listening.getsockname()[:2]
        here = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        server = make_server(Collector(store, settings), behind_proxy=behind_proxy)
        _announce(store, survey, settings.origins[0] if settings.origins else here)
        server.run(sockets=[listening])


def _survey(store: Store, described: Description) -> Survey:
    """Return the survey that is described: made now, or when the command was given before."""
    from ldprange.service.collector import survey_of

    wanted = survey_of(described)
    added = store.add_survey(wanted.name, wanted.question, wanted.unit, wanted.public, wanted.plan)
    if added is not None:
        return added
    there = next(survey for survey in store.surveys() if survey.name == wanted.name)
    if (there.question, there.plan.fingerprint) != (wanted.question, wanted.plan.fingerprint):
        raise LdprangeError(
            f"a survey's name must be its own, and {there.name} is there with another question or plan; "
            "choose another --name"
        )
    return there


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
    if survey is None:
        rows += [("collector", here)]
    else:
        fragment = f"#token={tokens[ANALYST]}" if tokens and not survey.public else ""
        rows += [
            ("share this link", f"{here}/s/{survey.name}"),
            ("dashboard", f"{here}/d/{survey.name}{fragment}"),
        ]
    rows += [(f"{role}'s token", token) for role, token in tokens.items()]
    print_whole(rows)
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

    made = new_tokens()
    with Store(place) as store:
        store.keep_digests({role: digest(token) for role, token in made.items()})
    print_whole((f"{role}'s token", token) for role, token in made.items())
    note("start the collector again if it runs: until then it takes the old ones")
