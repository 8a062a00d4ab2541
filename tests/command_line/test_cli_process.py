"""The command line in a process of its own: streams, pipes and interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.system


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ldprange", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


class TestProcess:
    """What only a process of its own can show."""

    def test_help(self) -> None:
        result = process("--help")
        assert result.returncode == 0
        assert "Usage: ldprange" in result.stdout

    def test_help_imports_nothing_heavy(self) -> None:
        program = (
            "import sys; from ldprange.cli.group import commands; "
            "commands(['--help'], standalone_mode=False); "
            "heavy = {'numpy', 'pyarrow', 'rich', 'matplotlib', 'scipy'} & set(sys.modules); "
            "sys.exit(', '.join(heavy) or None)"
        )
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr

    def test_demo(self) -> None:
        result = process("demo", "--people", "50000")
        assert result.returncode == 0, result.stderr
        assert not result.stderr
        for part in ("ε = 1.1", "Windows", "42 minutes sends", "truth", "95% interval", "100% ┤", "└┬"):
            assert part in result.stdout

    def test_demo_on_a_terminal_without_unicode(self) -> None:
        result = process("demo", "--people", "1000", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert result.returncode == 0, result.stderr
        assert result.stdout.isascii()

    def test_an_error_is_one_line(self, here: Path) -> None:
        result = process("query", "gone.agg")
        assert result.returncode == 2
        assert not result.stdout
        assert result.stderr == "error: gone.agg cannot be read: No such file or directory\n"

    def test_standard_input(self, here: Path) -> None:
        process("plan", "--low", "0", "--high", "9", "--epsilon", "1", "-o", "p.json")
        result = process("encode", "p.json", "-", "-o", "x.reports", "--json", input="1\n2\n3\n")
        assert json.loads(result.stdout)["reports"] == 3

    def test_a_closed_pipe_is_quiet(self, survey: Path) -> None:
        command = [sys.executable, "-m", "ldprange", "query", "monday.agg", "--json", *["--histogram"]]
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert result.stderr == ""

    @pytest.mark.skipif(os.name == "nt", reason="signals")
    def test_an_interrupt_leaves_nothing(self, survey: Path) -> None:
        before = sorted(survey.iterdir())
        command = [sys.executable, "-m", "ldprange", "encode", "ages.plan.json", "-", "-o", "x.reports"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            deadline = time.monotonic() + 30
            while not list(survey.glob("x.reports.*.partial")) and time.monotonic() < deadline:
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=30) == 130
            assert running.stderr is not None
            assert "Traceback" not in running.stderr.read()
        assert sorted(survey.iterdir()) == before
