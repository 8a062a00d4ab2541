"""``ldprange survey``: the surveys of a collector that runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import click

from ldprange.cli.command import Command
from ldprange.cli.new_survey import Description, survey_options
from ldprange.cli.options import json_option
from ldprange.cli.screen import answers, console, print_json, print_whole
from ldprange.errors import LdprangeError
from ldprange.exchange import Exchange, Host, Patience

_SERVER = "http://127.0.0.1:8000"
_PATIENCE = Patience(attempt=30.0, total=60.0)
Ask = Callable[..., Any]


@click.group()
def survey() -> None:
    """Make, list, close and open the surveys of a collector that runs.

    The administrator's token is asked for, or taken from LDPRANGE_TOKEN; never give it as an argument,
    which others on the machine can see. Listing takes the analyst's too.
    """


def _server_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option that names the collector, and its function an ``ask`` of it."""

    @wraps(command)
    def with_ask(*, server: str, token: str, **given: Any) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with Exchange(_host(server), _PATIENCE, headers) as exchange:

            def ask(method: str, path: str, said: object = None) -> Any:
                reply = exchange.ask(method, path, None if said is None else json.dumps(said).encode())
                if not 200 <= reply.status < 300:
                    raise LdprangeError(f"the collector refuses with {reply.status}: {reply.reason}")
                return reply.json()

            command(ask=ask, server=server.rstrip("/"), **given)

    click.option(
        "--token", envvar="LDPRANGE_TOKEN", prompt=True, hide_input=True, help="Better from LDPRANGE_TOKEN."
    )(with_ask)
    click.option("--server", default=_SERVER, show_default=True, metavar="URL", help="The collector.")(
        with_ask
    )
    return with_ask


def _host(server: str) -> Host:
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise LdprangeError(f"a collector's address must be such as {_SERVER}, got {server}")
    host = Host(parts.scheme == "https", parts.hostname, parts.port)
    if not host.secure and not host.is_this_machine:
        raise LdprangeError(f"a token must not travel in the clear, got {server}; use https")
    return host


@survey.command(
    cls=Command,
    examples=['ldprange survey create --question "How old are you?" --low 0 --high 119 --epsilon 1'],
)
@survey_options(required=True)
@_server_options
@json_option
def create(described: Description, ask: Ask, server: str, as_json: bool) -> None:
    """Open a new survey."""
    made = ask("POST", "/api/surveys", described)
    links = {"survey": f"{server}/s/{made['name']}", "dashboard": f"{server}/d/{made['name']}"}
    if as_json:
        print_json(links)
    else:
        print_whole([("share this link", links["survey"]), ("dashboard", links["dashboard"])])


@survey.command("list", cls=Command, examples=["ldprange survey list"])
@_server_options
@json_option
def list_surveys(ask: Ask, server: str, as_json: bool) -> None:
    """List the surveys, oldest first."""
    found = ask("GET", "/api/surveys")
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each["name"],
            each["state"],
            "public" if each["public"] else "",
            f"{each['reports']:,}",
            each["question"],
        )
        for each in found["surveys"]
    ]
    console().print(answers(["survey", "state", "", "reports", "question"], rows))


@survey.command(cls=Command, examples=["ldprange survey close minutes-to-work"])
@click.argument("name", metavar="SURVEY")
@_server_options
def close(name: str, ask: Ask, server: str) -> None:
    """Take no more reports; its answers stay."""
    _change(ask, name, {"state": "closed"})


@survey.command("open", cls=Command, examples=["ldprange survey open minutes-to-work"])
@click.argument("name", metavar="SURVEY")
@_server_options
def open_again(name: str, ask: Ask, server: str) -> None:
    """Take reports again."""
    _change(ask, name, {"state": "open"})


def _change(ask: Ask, name: str, changes: dict[str, Any]) -> None:
    if not name.replace("-", "").isalnum():
        raise LdprangeError(f"a survey's name has letters, digits and dashes only, got {name!r}")
    changed = ask("PATCH", f"/api/surveys/{name}", changes)
    click.echo(f"{changed['name']} is {changed['state']}")
