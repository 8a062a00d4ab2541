"""Real disks that are full, file systems without locks, and copies that are made under load."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ldprange as ldp
from command_line_survey import run
from ldprange.service.live_aggregate import Live
from ldprange.service.settings import Settings
from ldprange.service.store import Store
from postgresql_server import emptied, program
from running_collector import PLAN, Service, packed, serving

NO_LIMIT_OF_DISK = Settings(requests_per_second=0, reports_per_hour=0, bytes_per_hour=0, least_free_bytes=0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of 2 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("A FULL DISK IS NOT TESTED: only root may mount one")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def aggregate_in(place: str | Path) -> ldp.Aggregate:
    with Store(place) as store:
        return Live.load(store, store.surveys()[0]).aggregate()


def until_healthy(service: Service) -> None:
    for _ in range(200):
        if service.get("/health").status == 200:
            return
        time.sleep(0.05)
    pytest.fail("the collector does not recover")


def test_a_full_disk_loses_nothing_that_was_acknowledged(small_disk: Path) -> None:
    """Nothing is kept free, so that the database itself finds the disk full, in the middle of a commit."""
    place = small_disk / "data"
    acknowledged: list[bytes] = []
    with serving(place, NO_LIMIT_OF_DISK) as service:
        service.create()
        body, batch, seed = b"", "", 0
        while True:
            body, batch, seed = packed([seed % 120] * 5000, seed), secrets.token_hex(16), seed + 1
            status = service.put(body, batch=batch).status
            if status != 201:
                break
            acknowledged.append(body)
        assert status == 503
        assert service.get("/health").status == 503
        subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
        until_healthy(service)
        assert service.put(body, batch=batch).status in (200, 201)  # the one that had no answer, again
        acknowledged.append(body)
        assert service.put(packed([1], 1)).status == 201
        acknowledged.append(packed([1], 1))
    assert len(acknowledged) > 20
    assert aggregate_in(place) == ldp.Aggregate.of(PLAN, acknowledged)


def test_a_disk_that_is_nearly_full_takes_no_reports_and_says_so(small_disk: Path) -> None:
    limits = Settings(requests_per_second=0, reports_per_hour=0, bytes_per_hour=0, least_free_bytes=1 << 20)
    with serving(small_disk / "data", limits) as service:
        service.create()
        (small_disk / "other").write_bytes(bytes(1 << 20))
        refused = service.put(packed([1], 1))
        assert refused.status == 507
        assert "disk is nearly full" in refused.json["error"]
        (small_disk / "other").unlink()
        assert service.put(packed([1], 1)).status == 201


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some network file systems are; the system call that fails there is made to fail here."""

    def no_locks(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    refused = run("serve", "--data", tmp_path, "--port", "0")
    assert refused.exit_code == 2
    assert "No locks available" in refused.stderr
    assert "local disk" in refused.stderr


class Load:
    """Somebody who sends batches until told to stop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.acknowledged: list[bytes] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self) -> None:
        seed = 0
        while not self._ending.is_set():
            body, seed = packed([seed % 120], seed), seed + 1
            if self._service.put(body).status == 201:
                self.acknowledged.append(body)

    def wait_for(self, batches: int) -> None:
        while len(self.acknowledged) < batches:
            time.sleep(0.01)

    def end(self) -> None:
        self._ending.set()
        self._thread.join()


def test_a_copy_of_sqlite_under_load_is_a_store(tmp_path: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("THE COPY IS NOT TESTED: there is no sqlite3; install it")
    place, copy = tmp_path / "data", tmp_path / "copy"
    with serving(place) as service:
        service.create()
        load = Load(service)
        load.wait_for(30)
        before = len(load.acknowledged)
        copy.mkdir()
        file = copy / "ldprange.sqlite"
        subprocess.run(["sqlite3", str(place / "ldprange.sqlite"), f".backup {file}"], check=True)
        load.wait_for(before + 30)
        load.end()
    check = sqlite3.connect(file)
    assert check.execute("pragma integrity_check").fetchone() == ("ok",)
    check.close()
    _is_a_beginning(copy, load.acknowledged, before)


def test_a_copy_of_postgresql_under_load_is_a_store(database: str, tmp_path: Path) -> None:
    place, copy = emptied(database), tmp_path / "copy.sql"
    with serving(place) as service:
        service.create()
        load = Load(service)
        load.wait_for(30)
        before = len(load.acknowledged)
        subprocess.run([program("pg_dump"), "--no-owner", "-f", copy, place], check=True)
        load.wait_for(before + 30)
        load.end()
    subprocess.run([program("psql"), "-q", "-v", "ON_ERROR_STOP=1", "-f", copy, emptied(place)], check=True)
    _is_a_beginning(place, load.acknowledged, before)


def _is_a_beginning(place: str | Path, acknowledged: list[bytes], before: int) -> None:
    """See that a copy has all that was acknowledged before it, and of the rest the first; and can be used."""
    with Store(place) as store:
        there = Live.load(store, store.surveys()[0]).aggregate()
        assert before <= there.reports <= len(acknowledged)
        assert there == ldp.Aggregate.of(PLAN, acknowledged[: there.reports])
    with serving(place) as service:
        assert service.put(packed([7], 7)).status == 201
        assert service.get("/api/surveys").json["surveys"][0]["reports"] == there.reports + 1
