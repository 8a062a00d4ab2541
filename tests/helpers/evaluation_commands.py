"""Commands that run evaluations: whole, killed on the way and given again, or refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner, Result

HOME = Path(__file__).parents[2]


def command(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a module with these arguments in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)], capture_output=True, text=True, cwd=HOME
    )


def at_once(main: click.Command, *arguments: str | Path) -> Result:
    """Run a command with these arguments in this process, which holds the lock of its folder from then on."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def wait_for_runs(process: subprocess.Popen[str], runs: Path) -> None:
    """Return when more than a few runs are kept."""
    while not (runs.exists() and runs.read_text().count("\n") > 5):
        assert process.poll() is None
        time.sleep(0.05)


@dataclass(frozen=True)
class Resumed:
    """The results of a command that was killed and given again: what was kept, and how the second ended."""

    folder: Path
    kept: str
    ended: subprocess.CompletedProcess[str]


def killed_and_resumed(module: str, folder: Path, *arguments: str) -> Resumed:
    """Run a module with results in ``folder``: kill it when some are kept, then run it to its end."""
    arguments = (*arguments, "--results", str(folder))
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=HOME,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_runs(process, folder / "runs.csv")
        os.killpg(process.pid, signal.SIGKILL)
    kept = (folder / "runs.csv").read_text()
    ended = command(module, *arguments)
    assert ended.returncode == 0, ended.stderr
    return Resumed(folder, kept, ended)
