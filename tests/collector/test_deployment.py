"""A survey on the internet, as far as that is possible on one machine: the files of ``deploy`` at work."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import ldprange as ldp
from command_line_survey import COMMUTE
from page_visitors import answer
from proxies import DEPLOY, Proxy, caddy, configuration, free_port, nginx
from running_collector import PLAN, Reply, Service, packed, serving

PATH = "/api/surveys/minutes-to-work"
MOST = 3  # reports from one address


@dataclass(frozen=True)
class Site:
    """A survey behind a proxy."""

    proxy: Proxy
    administrator: str

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        sender: str = "127.0.0.1",
    ) -> Reply:
        """Ask over TLS, from one of this machine's many addresses."""
        return _asked(
            http.client.HTTPSConnection(
                "localhost",
                self.proxy.port,
                timeout=30,
                context=self.proxy.context(),
                source_address=(sender, 0),
            ),
            method,
            path,
            body,
            headers,
        )

    def send(self, sender: str, **said: str) -> int:
        """Send a new report; return the reply's status."""
        plan = ldp.Plan.from_dict(self.ask("GET", PATH).json["plan"])
        path, body = _report(plan)
        return self.ask("PUT", path, body, _headers(**said), sender).status


def _asked(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """Return what comes back over a connection, which is closed then."""
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        return Reply(reply.status, dict(reply.getheaders()), reply.read())
    finally:
        connection.close()


def _is_open(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def _report(plan: ldp.Plan) -> tuple[str, bytes]:
    return f"{PATH}/batches/{secrets.token_hex(16)}", ldp.wire.pack(ldp.Client(plan).encode(42))


def _headers(**said: str) -> dict[str, str]:
    return {"Content-Type": "application/octet-stream", **{k.replace("_", "-"): v for k, v in said.items()}}


@contextmanager
def collector(place: Path, *options: str) -> Iterator[int]:
    """Run the command as systemd does, without a terminal; give its port."""
    port = free_port()
    command = [sys.executable, "-m", "ldprange", "serve", "--data", str(place), "--port", str(port)]
    process = subprocess.Popen(
        [*command, *COMMUTE, "--public", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = ""
    try:
        while "Ctrl-C" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        while not _is_open(port):
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module", params=[caddy, nginx], ids=["caddy", "nginx"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    place, folder, port = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("proxy"), free_port()
    command = [sys.executable, "-m", "ldprange", "tokens", "--new", "--data", str(place / "data")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tokens = dict(re.findall(r"(\w+)'s token\s+(\S+)", said))
    options = ["--origin", f"https://localhost:{port}", "--behind-proxy", "127.0.0.1"]
    with (
        collector(place / "data", *options, "--reports-per-hour", str(MOST)) as behind,
        request.param(folder, behind, port) as proxy,
    ):
        yield Site(proxy, tokens["administrator"])


def test_a_program_takes_part(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(site.proxy.authority))
    sender = ldp.Sender(f"{site.proxy.origin}/s/minutes-to-work")
    sender.send(ldp.Client(sender.plan()).encode(42))
    assert site.ask("GET", f"{PATH}/overview").json["reports"] >= 1


def test_a_person_takes_part(site: Site, browser: Browser) -> None:
    before = site.ask("GET", f"{PATH}/overview").json["reports"]
    context = browser.new_context(ignore_https_errors=True)  # no browser knows these authorities
    page = context.new_page()
    page.goto(f"{site.proxy.origin}/s/minutes-to-work")
    answer(page)
    page.goto(f"{site.proxy.origin}/d/minutes-to-work")
    expect(page.locator("#count")).to_have_text(str(before + 1))
    context.close()


def test_nobody_can_pretend_to_be_another_address(site: Site) -> None:
    forged = [f"203.0.113.{number}" for number in range(MOST + 1)]
    sent = [
        site.send("127.0.0.7", X_Forwarded_For=who, X_Real_IP=who, Forwarded=f"for={who}") for who in forged
    ]
    assert sent == [201] * MOST + [429]
    assert site.send("127.0.0.7", X_Forwarded_For="127.0.0.1, 127.0.0.1") == 429
    assert site.send("127.0.0.8") == 201  # another address is another sender


def test_it_is_administered_under_its_name(site: Site) -> None:
    new = {"name": f"more-{secrets.token_hex(4)}", "question": "How old are you?", "plan": PLAN.to_dict()}
    token = {"Authorization": f"Bearer {site.administrator}"}
    body = json.dumps(new).encode()
    assert site.ask("POST", "/api/surveys", body, token).status == 201
    for headers in ({"Origin": "https://elsewhere.example"}, {"Host": "elsewhere.example"}):
        assert site.ask("POST", "/api/surveys", body, {**token, **headers}).status not in (201, 409)


def test_a_proxy_that_is_not_named_is_not_believed(tmp_path: Path) -> None:
    with collector(tmp_path / "data", "--behind-proxy", "127.0.0.5", "--reports-per-hour", "1") as port:

        def send(sender: str, **said: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(sender, 0))
            path, body = _report(plan)
            return _asked(connection, "PUT", path, body, _headers(**said)).status

        told = _asked(http.client.HTTPConnection("127.0.0.1", port), "GET", PATH)
        plan = ldp.Plan.from_dict(told.json["plan"])
        assert [send("127.0.0.1", X_Forwarded_For=f"203.0.113.{at}") for at in range(2)] == [201, 429]
        assert [send("127.0.0.5", X_Forwarded_For=f"203.0.113.{at}") for at in range(2)] == [201, 201]


def test_the_units_of_systemd_are_well_formed(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("deploy/ldprange.service was NOT verified: there is no systemd-analyze; install systemd")
    own = Path(sys.executable).with_name("ldprange")
    unit = configuration("ldprange.service", {"/opt/ldprange/bin/ldprange": str(own)})
    (tmp_path / "ldprange.service").write_text(unit)
    copying = [shutil.copy(DEPLOY / f"ldprange-copy.{kind}", tmp_path) for kind in ("service", "timer")]
    command = ["systemd-analyze", "verify", "--recursive-errors=no", f"{tmp_path}/ldprange.service", *copying]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_the_commands_of_the_service_and_the_container_are_understood() -> None:
    unit = (DEPLOY / "ldprange.service").read_text()
    started = re.findall(r"^ExecStart=\S+ (.*)$", unit, re.MULTILINE)
    container = (DEPLOY / "Containerfile").read_text()
    [last] = re.findall(r"^CMD (.*)$", container, re.MULTILINE)
    suggested = re.findall(r"^#   (serve .*)$", container, re.MULTILINE)
    for arguments in (*(each.split() for each in (*started, *suggested)), json.loads(last)):
        assert arguments[0] == "serve"
        command = [sys.executable, "-m", "ldprange", *arguments, "--port", "x"]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "'x' is not a valid integer" in refused.stderr  # and nothing else is wrong with it


def commands(heading: str, folder: Path) -> list[str]:
    """Return the commands under a heading of docs/deploy.md, for this user and a folder of its own."""
    page = (DEPLOY.parent / "docs/deploy.md").read_text()
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    lines = "".join(blocks).replace("sudo -u ldprange ", "").replace("/var/lib/ldprange", str(folder))
    return lines.splitlines()


def test_the_copy_of_the_page_can_be_gone_back_to(tmp_path: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("THE COPY IS NOT TESTED: there is no sqlite3; install it")
    copy, _, timed, stop, *restore, start = commands("Backup and restore", tmp_path)
    assert timed == "sudo systemctl enable --now ldprange-copy.timer"
    assert (stop, start) == ("sudo systemctl stop ldprange", "sudo systemctl start ldprange")
    with serving(tmp_path / "data") as service:
        service.create()
        assert service.put(packed([7] * 5, 1)).status == 201
        subprocess.run(copy, shell=True, check=True)  # noqa: S602 (it is this repository's page)
        assert service.put(packed([7] * 5, 2)).status == 201
    for command in restore:
        subprocess.run(command, shell=True, check=True)  # noqa: S602
    assert oct((tmp_path / "copy.sqlite").stat().st_mode)[-3:] == "600"
    with serving(tmp_path / "data") as service:
        assert service.get("/api/surveys").json["surveys"][0]["reports"] == 5


def test_the_timer_keeps_the_copies_of_a_fortnight(tmp_path: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("THE COPY IS NOT TESTED: there is no sqlite3; install it")
    unit = (DEPLOY / "ldprange-copy.service").read_text()
    steps = re.findall(r"^ExecStart(Pre|Post|)=(.*)$", unit, re.MULTILINE)
    assert [when for when, _ in steps] == ["Pre", "", "Post"]
    copies = tmp_path / "copies"
    with serving(tmp_path / "data") as service:
        service.create()
        assert service.put(packed([7] * 5, 1)).status == 201
        for days in (13.5, 14.5):
            copies.mkdir(exist_ok=True)
            old = copies / f"{days}.sqlite"
            old.touch()
            os.utime(old, (time.time() - 86400 * days,) * 2)
        for _, command in steps:
            subprocess.run(shlex.split(command.replace("%%", "%")), cwd=tmp_path, check=True)
    made, kept = sorted(copies.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    assert kept.name == "13.5.sqlite"
    (tmp_path / "restored").mkdir(mode=0o700)
    made.rename(tmp_path / "restored" / "ldprange.sqlite")
    with serving(tmp_path / "restored") as service:
        assert service.get("/api/surveys").json["surveys"][0]["reports"] == 5


def test_what_is_to_be_watched_is_there(asked: Service) -> None:
    page = (DEPLOY.parent / "docs/deploy.md").read_text()
    named = set(re.findall(r"`(ldprange_\w+)`", page))
    told = asked.get("/metrics").body.decode()
    assert len(named) >= 4
    assert [name for name in named if f"\n{name}" not in told] == []


def test_the_container_is_linted() -> None:
    if shutil.which("hadolint") is None:
        pytest.skip("deploy/Containerfile was NOT linted: there is no hadolint on the path")
    subprocess.run(["hadolint", str(DEPLOY / "Containerfile")], check=True)
