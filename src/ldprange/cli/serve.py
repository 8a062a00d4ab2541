"""``ldprange serve`` and ``ldprange tokens``."""

from __future__ import annotations

import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ldprange.cli.command import command
from ldprange.cli.leaving import leave_when_asked, told_to_leave
from ldprange.cli.output import note, print_whole
from ldprange.cli.store_options import store_options
from ldprange.cli.survey_command import SurveyCommand
from ldprange.cli.survey_options import NewSurvey, survey_options, tell_all
from ldprange.errors import ArgumentError, StoreError
from ldprange.service.settings import DEFAULTS, Settings
from ldprange.support.addresses import is_loopback, read_proxy
from ldprange.support.checking import listed, shown

if TYPE_CHECKING:
    from ldprange.service.store import Store, Survey


_MEGABYTE = 1_000_000


def _limit(option: str, default: float, what: str, *, least: int = 0, **more: Any) -> Callable[[Any], Any]:
    """Return the option of a limit, which is at ``least`` so much."""
    kind = click.FloatRange if isinstance(default, float) else click.IntRange
    return click.option(option, type=kind(min=least), default=default, help=what, **more)


@command(
    'ldprange serve --question "How long is your commute?" --low 0 --high 120 --epsilon 1 --users 10000',
    'ldprange serve --users 500 --question "Your age?" --low 0 --high 99 --epsilon 1 '
    '--question "How do you feel?" --labels bad,good --epsilon 0.5',
    "ldprange serve --data surveys --port 8080 --origin https://survey.example.org --behind-proxy 127.0.0.1",
    kind=SurveyCommand,
)
@survey_options(required=False)
@store_options
@click.option("--host", default="127.0.0.1", help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="The port to listen on.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="The address that people open, such as https://survey.example.org; you can give several. "
    "Administration works from these and from this machine only.",
)
@click.option(
    "--behind-proxy",
    "proxy",
    is_flag=False,
    flag_value="127.0.0.1",
    metavar="[ADDRESS]",
    help="The address or network of the proxy in front; senders' addresses are read from its "
    "X-Forwarded-For header, and from nobody else's.  [without an address: 127.0.0.1]",
)
@_limit("--requests-per-second", DEFAULTS.requests_per_second, "From one address; 0 for no limit.")
@_limit("--largest-batch", DEFAULTS.largest_body, "The most bytes in one submission.", least=64)
@_limit("--reports-per-hour", DEFAULTS.reports_per_hour, "From one address to one survey; 0 for no limit.")
@_limit("--bytes-per-hour", DEFAULTS.bytes_per_hour, "From one address to one survey; 0 for no limit.")
@_limit(
    "--least-free-disk",
    DEFAULTS.least_free_bytes // _MEGABYTE,
    "With less than this, no reports are accepted; for a store in a directory.",
    metavar="MEGABYTES",
)
def serve(
    surveys: list[NewSurvey],
    place: str,
    host: str,
    port: int,
    origins: tuple[str, ...],
    proxy: str | None,
    requests_per_second: float,
    largest_batch: int,
    reports_per_hour: int,
    bytes_per_hour: int,
    least_free_disk: int,
) -> None:
    """Collect reports: a service with a page where people answer, and a dashboard.

    With --question, a survey is opened, unless it is there already, and its links are printed. You can ask
    several questions on one page: options that describe a survey belong to the --question before them, and
    those before the first --question belong to all. Later, ldprange survey makes more. Everything is kept in
    one directory, and what has been acknowledged is on the disk.
    """
    from ldprange.service.access import origin_of
    from ldprange.service.collector import Collector, survey_of
    from ldprange.service.server import listen, make_server
    from ldprange.service.store import Store
    from ldprange.support.blas import callers_thread

    settings = Settings(
        origins=tuple(map(origin_of, origins)),
        requests_per_second=requests_per_second,
        largest_body=largest_batch,
        reports_per_hour=reports_per_hour,
        bytes_per_hour=bytes_per_hour,
        least_free_bytes=least_free_disk * _MEGABYTE,
    )
    trusted = None if proxy is None else read_proxy(proxy)
    wanted = [survey_of(each.description) for each in surveys]
    _check_page([survey.name for survey in wanted])
    # a store is made only when nothing else can go wrong
    with listen(host, port) as listening, Store(place, create=True) as store:
        with store.reached():
            store.lock()
        if wanted:
            _open(store, wanted)
            tell_all(surveys)
        here = _address(*listening.getsockname()[:2])
        collector = Collector(store, settings)
        with store.reached():
            collector.load()
        leave_when_asked()  # from here on the server ends all in order
        server = make_server(collector, proxy=trusted, ended=told_to_leave)
        _announce(store, wanted, settings.origins[0] if settings.origins else here, place)
        if not settings.origins:
            _warn(is_loopback(host))
        elif proxy is None:
            note(
                "without --behind-proxy, everyone who comes through a proxy shares the limits of one address"
            )
        note("stop with Ctrl-C; no acknowledged report is lost")
        try:
            with callers_thread:  # answers are worked out side by side
                server.run(sockets=[listening])
        except KeyboardInterrupt:
            pass  # the way to stop it, and no failure
        finally:
            collector.stop()  # if it was told to end while it started, nobody has
            reports = sum(collector.writer.live(survey).reports for survey in collector.surveys.values())
            note(f"stopped; {reports:,} reports are stored in {store.place}")


def _check_page(names: Sequence[str]) -> None:
    """Raise ArgumentError unless surveys with these ``names`` can be on one page."""
    from ldprange.service.pages import MAX_TOGETHER

    if len(names) > MAX_TOGETHER:
        raise ArgumentError(
            f"one page has at most {MAX_TOGETHER} questions, got {len(names)}; leave some out"
        )
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"every question needs a name of its own, got {name} twice; add a --name")


def _open(store: Store, wanted: Sequence[Survey]) -> None:
    """Make the surveys that were not made when the command was given before; or none, if one cannot be."""
    known = {survey.name: survey for survey in store.surveys()}
    for survey in wanted:
        there = known.get(survey.name, survey)
        if others := _differences(there, survey):
            raise ArgumentError(
                f"a survey named {there.name} exists already, and differs in {'; '.join(others)}; "
                "choose another --name"
            )
    for survey in wanted:
        if survey.name not in known:
            store.add_survey(survey)
        else:
            _tell_what_stays(known[survey.name], survey)


def _differences(there: Survey, wanted: Survey) -> list[str]:
    """Say what of a survey that exists makes it another than the one that is ``wanted``."""
    plan, other = there.plan, wanted.plan
    told = {
        "its question": (shown(there.question), shown(wanted.question)),
        "its values": (plan.domain.describe(), other.domain.describe()),
        "its ε": (f"{plan.epsilon:g}", f"{other.epsilon:g}"),
    }
    found = [f"{what} ({one}, and not {two})" for what, (one, two) in told.items() if one != two]
    return found or ["its plan"] * (plan.fingerprint != other.fingerprint)


def _tell_what_stays(there: Survey, wanted: Survey) -> None:
    """Say what of a survey that exists is not as it is ``wanted``; what was not asked for may be anything."""
    said = {
        "--unit": bool(wanted.unit) and wanted.unit != there.unit,
        "--public": wanted.public and not there.public,
        "--batches": wanted.batches and not there.batches,
    }
    if options := [option for option, ignored in said.items() if ignored]:
        note(
            f"the survey {there.name} exists already and stays as it is: {listed(options)} had no effect; "
            "change it with ldprange survey correct (its unit only until the first person answers)"
        )


def _address(host: str, port: int) -> str:
    """Return the address under which others find this machine."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 (it is compared with, not listened on)
        host = socket.getfqdn()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _warn(only_here: bool) -> None:
    if only_here:
        note("only this machine can open these links; to let others in, see --origin and docs/deploy.md")
    else:
        note(
            "answers travel unencrypted: anyone on the way can see who takes part, and change the answers; "
            "put a proxy with HTTPS in front, and give its address with --origin"
        )


def _announce(store: Store, wanted: Sequence[Survey], here: str, place: str) -> None:
    """Print the links, and at the first start the tokens: once, and to people only.

    Surveys that were ``wanted`` in one command have one link.
    """
    from ldprange.service.access import ADMINISTRATOR, ANALYST, digest, new_tokens
    from ldprange.service.store import CLOSED

    tokens: dict[str, str] = {}
    if not store.digests():
        if sys.stdout.isatty():
            tokens = new_tokens()
            store.keep_digests({role: digest(token) for role, token in tokens.items()})
        else:
            where = ["--database", store.place] if "://" in place else ["--data", place]
            line = shlex.join(["ldprange", "tokens", *where])
            note(f"there are no tokens yet, and only a terminal may show them; run: {line}")
    others = {survey.name: survey for survey in store.surveys()}
    together = [others.pop(survey.name) for survey in wanted]
    rows = []
    for page in filter(None, [together, *([survey] for survey in others.values())]):
        closed = all(survey.state == CLOSED for survey in page)
        address = "+".join(survey.name for survey in page)
        rows += [("closed" if closed else "share this link", f"{here}/s/{address}")]
        for survey in page:
            fragment = f"#token={tokens[ANALYST]}" if tokens and not survey.public else ""
            rows += [("dashboard", f"{here}/d/{survey.name}{fragment}")]
    own = f"#token={tokens[ADMINISTRATOR]}" if tokens else ""
    rows += [("all your surveys", f"{here}/surveys{own}")]
    rows += [(f"{role}'s token", token) for role, token in tokens.items()]
    print_whole(rows)
    if tokens:
        note("keep these tokens: they are shown only once; ldprange tokens makes new ones")


@command("ldprange tokens", "ldprange tokens --new --data surveys")
@click.option("--new", is_flag=True, help="Make the store if there is none yet.")
@store_options
def tokens(place: str, new: bool) -> None:
    """Make new tokens for the administrator and the analyst, and print them.

    The old ones stop working when you restart the collector. If you start it without a terminal, run this
    first, with --new.
    """
    from ldprange.service.access import digest, new_tokens
    from ldprange.service.store import Store

    made = new_tokens()
    try:
        store = Store(place, create=new)
    except StoreError as error:
        advice = "" if new else "; check the name, or add --new to make a store there"
        raise StoreError(f"{error}{advice}") from None
    with store, store.reached():
        store.keep_digests({role: digest(token) for role, token in made.items()})
    print_whole((f"{role}'s token", token) for role, token in made.items())
    note(f"these are for the collector in {store.place}; if it's running, restart it to use them")
