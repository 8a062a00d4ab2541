"""``ldprange survey``: the surveys of a collector that runs."""

import json
import os
import re
import socket
import sys
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import click

from ldprange.cli.command import command
from ldprange.cli.options import json_option
from ldprange.cli.output import print_json, print_whole
from ldprange.cli.survey_command import SurveyCommand
from ldprange.cli.survey_options import NewSurvey, survey_options, tell_all
from ldprange.client.http import Exchange, Patience
from ldprange.errors import ArgumentError, SendError
from ldprange.support.addresses import Host
from ldprange.support.checking import counted, shown

_SERVER = "http://127.0.0.1:8000"
_PATIENCE = Patience(attempt=20.0, total=20.0)  # somebody waits for the answer
_REACH = 5.0  # seconds to find out whether anybody is there
Ask = Callable[..., Any]


@click.group()
def survey() -> None:
    """Make, list, change, close, open and delete the surveys of a running collector.

    You are asked for the administrator's token, unless it is in LDPRANGE_TOKEN. The analyst's is enough for
    listing.
    """


def _server_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option that names the collector, and its function an ``ask`` of it."""

    @wraps(command)
    def with_ask(*, server: str, **given: Any) -> None:
        host = _host(server)
        headers = {"Authorization": f"Bearer {_token()}", "Content-Type": "application/json"}
        with Exchange(host, _PATIENCE, headers) as exchange:

            def ask(method: str, path: str, said: object = None) -> Any:
                reply = exchange.ask(method, path, None if said is None else json.dumps(said).encode())
                if not 200 <= reply.status < 300:
                    reason = f"the collector refuses with {reply.status}: {reply.reason}"
                    raise SendError(reason, status=reply.status)
                return reply.json()

            command(ask=ask, server=server.rstrip("/"), **given)

    return click.option(
        "--server",
        default=_SERVER,
        metavar="URL",
        envvar="LDPRANGE_SERVER",
        help="The collector; also from LDPRANGE_SERVER.",
    )(with_ask)


def _host(server: str) -> Host:
    """Return the collector's host, once it is known that somebody is there."""
    try:
        parts = urlsplit(server)
        host = Host(parts.scheme == "https", parts.hostname or "", parts.port)
    except ValueError:
        parts, host = urlsplit(""), Host(False, "", None)
    if parts.scheme not in ("http", "https") or not host.name or parts.path not in ("", "/"):
        raise ArgumentError(f"a collector's address must look like {_SERVER}, got {server}")
    if not host.secure and not host.is_this_machine:
        raise ArgumentError(f"a token must not be sent unencrypted, got {server}; use https")
    try:
        socket.create_connection((host.name, host.port or (443 if host.secure else 80)), _REACH).close()
    except OSError as error:
        raise SendError(
            f"no collector answers at {server} ({error.strerror or error}); "
            "start one, or give another address with --server"
        ) from None
    return host


def _token() -> str:
    """Return the token: never an argument, which others on the machine can see."""
    token = os.environ.get("LDPRANGE_TOKEN")
    if not token and sys.stdin.isatty():
        token = click.prompt("Token", hide_input=True)
    if not token:
        raise ArgumentError("a token is needed, and there is no terminal to ask for it; set LDPRANGE_TOKEN")
    token = token.strip()
    if not (token.isascii() and token.isprintable()):
        raise ArgumentError(
            "a token has only letters, digits, dashes and underscores, and this one has something else"
        )
    return token


@command(
    'ldprange survey create --question "How old are you?" --low 0 --high 119 --epsilon 1',
    of=survey,
    kind=SurveyCommand,
)
@survey_options(required=True)
@_server_option
@json_option
def create(surveys: list[NewSurvey], ask: Ask, server: str, as_json: bool) -> None:
    """Open a new survey."""
    if len(surveys) != 1:
        raise click.UsageError(
            f"this makes one survey at a time, got {len(surveys)} questions; run it once for each"
        )
    made = _made(ask, surveys[0].description)
    tell_all(surveys)
    links = {"survey": f"{server}/s/{made['name']}", "dashboard": f"{server}/d/{made['name']}"}
    if as_json:
        print_json(links)
    else:
        print_whole([("share this link", links["survey"]), ("dashboard", links["dashboard"])])


def _made(ask: Ask, description: dict[str, Any]) -> Any:
    try:
        return ask("POST", "/api/surveys", description)
    except SendError as error:
        if error.status != HTTPStatus.CONFLICT:
            raise
        name = description["name"]  # which may have been taken from the question
        raise ArgumentError(f"a survey named {name} exists already; give this one another --name") from None


@command("ldprange survey list", of=survey, name="list")
@_server_option
@json_option
def list_surveys(ask: Ask, server: str, as_json: bool) -> None:
    """List the surveys, oldest first: name, state, whether it is public, reports, question."""
    found = ask("GET", "/api/surveys")
    if as_json:
        print_json(found)
        return
    width = max((len(each["name"]) for each in found["surveys"]), default=0)
    for each in found["surveys"]:
        public = "public" if each["public"] else ""
        facts = f"{each['name']:<{width}}  {each['state']:6}  {public:6}  {each['reports']:>11,}"
        click.echo(f"{facts}  {each['question']}")


@command('ldprange survey correct my-commute --question "How long is your commute?"', of=survey)
@click.argument("name", metavar="SURVEY")
@click.option("--question", metavar="TEXT", help="What people are asked.")
@click.option("--unit", metavar="TEXT", help="What its numbers are counted in, such as minutes.")
@click.option("--public/--private", default=None, help="Who may see the results: anybody, or with a token.")
@click.option(
    "--batches/--no-batches", default=None, help="Whether a submission may contain many reports, or one."
)
@_server_option
def correct(name: str, ask: Ask, server: str, **wanted: str | bool | None) -> None:
    """Change a survey; its link stays the same.

    Its question and unit can be corrected until the first person answers; who may see the results, and
    whether a submission may contain many reports, at any time.
    """
    changes = {key: value for key, value in wanted.items() if value is not None}
    if not changes:
        raise click.UsageError("an option is needed that says what to change, such as --question or --public")
    _change(ask, name, changes)


@command("ldprange survey close how-long-is-your-commute", of=survey)
@click.argument("name", metavar="SURVEY")
@_server_option
def close(name: str, ask: Ask, server: str) -> None:
    """Stop taking reports; the results stay."""
    _change(ask, name, {"state": "closed"})


@command("ldprange survey open how-long-is-your-commute", of=survey, name="open")
@click.argument("name", metavar="SURVEY")
@_server_option
def open_again(name: str, ask: Ask, server: str) -> None:
    """Take reports again."""
    _change(ask, name, {"state": "open"})


@command("ldprange survey delete how-long-is-your-commute", of=survey)
@click.argument("name", metavar="SURVEY")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@_server_option
def delete(name: str, yes: bool, ask: Ask, server: str) -> None:
    """Delete a survey and all its reports, for good."""
    _check_name(name)
    found = next((each for each in ask("GET", "/api/surveys")["surveys"] if each["name"] == name), None)
    if found is None:
        raise ArgumentError(f"there is no survey named {shown(name)} to delete; see ldprange survey list")
    if not yes:
        if not sys.stdin.isatty():
            raise ArgumentError("deleting must be confirmed, and there is no terminal to ask; add --yes")
        reports = counted(found["reports"], "report", "reports")
        click.confirm(f"Delete {name} ({found['question']}) and its {reports} for good?", abort=True)
    ask("DELETE", f"/api/surveys/{name}")
    click.echo(f"{name} is deleted")


def _change(ask: Ask, name: str, changes: dict[str, Any]) -> None:
    _check_name(name)
    changed = ask("PATCH", f"/api/surveys/{name}", changes)
    told = {
        "state": f"is {changed['state']}",
        "public": f"shows its results {'to anybody' if changed['public'] else 'only with a token'}",
        "batches": f"takes {'many reports' if changed['batches'] else 'one report'} in a submission",
    }
    facts = [fact for key, fact in told.items() if key in changes]
    if "question" in changes or "unit" in changes:
        facts.insert(0, f"asks “{changed['question']}”")
    click.echo(f"{name} {', '.join(facts)}")


def _check_name(name: str) -> None:
    """Raise ArgumentError unless ``name`` can be part of a survey's address."""
    if not re.fullmatch("[a-z0-9-]+", name):
        raise ArgumentError(
            f"a survey's name has lower-case letters, digits and dashes only, got {shown(name)}"
        )
