"""A PostgreSQL server of the tests' own, from Debian's packages."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    named = shutil.which("postgres")
    if named:
        return Path(named).resolve().parent  # the rest of the programs lie there, not beside a link
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql), so it was NOT tested")
    return found[-1]


def program(name: str) -> Path:
    """Return one of PostgreSQL's programs, of the same version as the server."""
    return _programs() / name


@contextmanager
def postgresql() -> Iterator[str]:
    """Start a server with an empty database, and give its URL."""
    programs = _programs()
    # it refuses to run as root
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="ldprange-pg-", dir="/tmp") as name:  # sockets need short names
        home = Path(name)
        if user:
            owner = pwd.getpwnam(user)
            os.chown(home, owner.pw_uid, owner.pw_gid)
        data = home / "data"
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "ldprange", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            user=user,
            cwd=home,
        )
        options: list[str | Path] = [
            "-D",
            data,
            "-k",
            home,
            "-c",
            "listen_addresses=",
            "-c",
            "max_connections=40",
        ]
        with (home / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", *options], stdout=log, stderr=log, user=user, cwd=home
            )
        try:
            for _ in range(200):
                ready: list[str | Path] = [
                    programs / "pg_isready",
                    "-q",
                    "-h",
                    home,
                    "-U",
                    "ldprange",
                    "-d",
                    "postgres",
                ]
                if subprocess.run(ready, check=False).returncode == 0:
                    break
                time.sleep(0.05)
            yield f"postgresql://ldprange@/postgres?host={home}"
        finally:
            server.send_signal(signal.SIGINT)  # end now, whoever is connected
            server.wait()


def emptied(url: str) -> str:
    """Return the URL of the same server, with nothing of ours in it."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
    return url
