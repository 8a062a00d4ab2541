"""A Spark cluster of the tests' own on loopback: a master and two workers, which can be killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

MEMORY = "512m"
WORKER_MEMORY = "1g"  # what Spark's executors ask for where nobody says otherwise
# Dozens of JVMs start here, and each would load thousands of classes: more than half of what its short life
# takes. This file has them ready; scripts/test makes it. A JVM that it does not fit does without, and would
# say so on stdout, among what a command prints, if its log were not off.
CLASSES = Path(sys.prefix) / "spark-classes.jsa"
SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable"
QUICK = f"{SHORT_LIVED} -XX:SharedArchiveFile={CLASSES}"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": MEMORY,
    "spark.executor.memory": MEMORY,
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.extraJavaOptions": QUICK,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",
    "spark.sql.shuffle.partitions": "2",
    # as often as a lost worker needs; each time Python starts anew to find the same error in the same report
    "spark.task.maxFailures": "2",
    # a partition for every file of more than 64 KB, so that small jobs have tasks too
    "spark.sql.files.maxPartitionBytes": str(1 << 16),
    "spark.sql.files.openCostInBytes": "1024",
}


def need_spark() -> None:
    """Skip loudly where Spark or Java is absent, and wait for classes in the making."""
    pytest.importorskip("pyspark", reason="PySpark is not installed, so the Spark engine was NOT tested")
    if not shutil.which("java"):
        pytest.skip(
            "Java is not installed (Debian: apt-get install openjdk-17-jre-headless), "
            "so the Spark engine was NOT tested"
        )
    with _classes_to_oneself():
        pass  # whoever makes them has ended


LOADING = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

options, folder = sys.argv[1:]
settings = {"spark.driver.extraJavaOptions": options, "spark.ui.enabled": "false"}
session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
path = str(Path(folder) / "x.parquet")
session.range(9).mapInArrow(lambda batches: batches, "id long").write.parquet(path)
session.read.parquet(path).groupBy(col("id") % 2).count().toArrow()
"""


def have_classes() -> None:
    """Write the file of classes, unless there is one since Java and Spark were installed.

    Java writes it as it ends, which takes a minute beside other work: so this is begun before the tests.
    """
    import pyspark

    newest = max(Path(name).stat().st_ctime for name in (shutil.which("java") or "", pyspark.__file__))
    with _classes_to_oneself():
        if CLASSES.exists() and CLASSES.stat().st_ctime > newest:
            return
        with tempfile.TemporaryDirectory(dir=CLASSES.parent) as folder:
            made = Path(folder) / CLASSES.name
            to_its_end = f"{SHORT_LIVED} -XX:ArchiveClassesAtExit={made}"
            run_python("-c", LOADING, to_its_end, folder)
            made.rename(CLASSES)


@contextmanager
def _classes_to_oneself() -> Iterator[None]:
    with CLASSES.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def environment() -> dict[str, str]:
    """Return the environment of every process of the cluster's."""
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": MEMORY,
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "OMP_NUM_THREADS": "1",
    }


def run_python(
    *arguments: str, code: int = 0, python: str = sys.executable, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run Python to its end, in the environment of a cluster and what is named."""
    env = environment() | more
    done = subprocess.run(
        [python, *arguments], env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == code, done.stderr
    return done


class Cluster:
    """Processes and where to reach them."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.settings = home / "settings.conf"  # for whoever starts Spark without saying any
        self.settings.write_text("".join(f"{name} {value}\n" for name, value in SETTINGS.items()))
        self.master = f"spark://127.0.0.1:{free_port()}"
        port = self.master.rsplit(":", 1)[1]
        self._log = (home / "log").open("ab")
        self._master = self._started("master.Master", "--host", "127.0.0.1", "--port", port)
        self.workers: list[subprocess.Popen[bytes]] = []

    def _started(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        return subprocess.Popen(
            [
                home / "bin" / "spark-class",
                f"org.apache.spark.deploy.{name}",
                "--webui-port",
                "0",
                *arguments,
            ],
            env={**environment(), "SPARK_HOME": str(home)},
            stdout=self._log,
            stderr=self._log,
            cwd=self._home,
            start_new_session=True,  # so that a worker can be killed with all that it started
        )

    def add_worker(self) -> None:
        place = self._home / f"worker-{len(self.workers)}"
        what = ["--host", "127.0.0.1", "--cores", "1", "--memory", WORKER_MEMORY, "--work-dir", str(place)]
        self.workers.append(self._started("worker.Worker", *what, self.master))

    def executors_of(self, number: int, application: str) -> set[str]:
        """Return which executors of an application a worker has started: each has a directory there."""
        return {path.name for path in (self._home / f"worker-{number}" / application).glob("*")}

    def kill_worker(self, number: int) -> None:
        """End a worker and its executors, as if its machine were gone."""
        kill(self.workers[number])

    def stop(self) -> None:
        for process in (*self.workers, self._master):
            kill(process)
        self._log.close()


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started, without warning."""
    if process.poll() is None:
        kill_group(process)
        process.wait()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End all that a process started, which may have ended itself."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def standalone(home: Path) -> Iterator[Cluster]:
    """Start a master and two workers."""
    need_spark()
    cluster = Cluster(home)
    try:
        for _ in range(2):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def connect_server(home: Path) -> Iterator[str]:
    """Start a server of Spark Connect, and yield its address when it answers."""
    import pyspark

    port = free_port()
    settings = {**SETTINGS, "spark.connect.grpc.binding.port": str(port)}
    configured = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    main = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [submit, "--master", "local[1]", *configured, *main],
            env=environment(),
            stdout=log,
            stderr=log,
            cwd=home,
            start_new_session=True,
        )
    try:
        wait_for_port(port, process)
        yield f"sc://127.0.0.1:{port}"
    finally:
        kill(process)


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process answers at a port."""
    deadline = time.monotonic() + 120
    while True:
        assert process.poll() is None, "the server ended"
        assert time.monotonic() < deadline, "the server does not answer"
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)


@contextmanager
def session_on(cluster: Cluster) -> Iterator[Any]:
    """Start a session on both workers."""
    from pyspark.sql import SparkSession

    before = dict(os.environ)
    os.environ.update(environment())
    try:
        builder = SparkSession.builder.master(cluster.master).appName("tests")
        session = builder.config(map=dict(SETTINGS)).getOrCreate()
        try:
            wait_for_executors(session, 2)
            yield session
        finally:
            session.stop()
    finally:
        os.environ.clear()
        os.environ.update(before)


def executors(session: Any) -> int:
    """Return how many executors there are."""
    return int(session.sparkContext._jsc.sc().getExecutorMemoryStatus().size()) - 1  # without the driver


def wait_for_executors(session: Any, number: int) -> None:
    """Wait until as many executors are there, no more and no fewer."""
    deadline = time.monotonic() + 120
    while executors(session) != number:
        assert time.monotonic() < deadline, f"{executors(session)} executors instead of {number}"
        time.sleep(0.1)


def running(session: Any) -> dict[str, int]:
    """Return how many tasks each executor is running, by Spark's own status."""
    about = _listed(_status(session).executorList(True))
    return {each.id(): each.activeTasks() for each in about}


def tasks_of(session: Any, stage: int) -> list[tuple[int, str, str, str]]:
    """Return all tasks of a stage so far: which one, on which executor, how it went, and what was wrong."""
    found = []
    for each in _listed(_status(session).taskList(stage, 0, 1 << 20)):
        wrong = each.errorMessage()
        found.append(
            (each.index(), each.executorId(), each.status(), wrong.get() if wrong.isDefined() else "")
        )
    return found


def _status(session: Any) -> Any:
    return session.sparkContext._jsc.sc().statusStore()


def _listed(sequence: Any) -> list[Any]:
    return [sequence.apply(at) for at in range(sequence.size())]


if __name__ == "__main__":
    have_classes()
