"""``ldprange serve`` ends, in order, when it is told to."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.slow
def test_it_ends_when_told_so_at_any_moment(here: Path) -> None:
    """While Python and the collector start, and just after."""
    moments = np.random.default_rng(1)
    for _ in range(10):
        process = subprocess.Popen(
            [sys.executable, "-m", "ldprange", "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        if moments.random() < 0.5:
            process.stderr.readline()  # it speaks just before it serves
            time.sleep(float(moments.choice([0.0, 0.01, 0.03, 0.1, 0.3])))
        else:
            time.sleep(moments.uniform(0.0, 2.0))
        process.terminate()
        _, said = process.communicate(timeout=60)
        assert process.returncode in (143, -signal.SIGTERM), said
        # until the command line has begun, the signal ends Python itself
        assert process.returncode == 143 or not said, said


@pytest.mark.parametrize("moment", ["import", "socket.bind", "sqlite3.connect"])
def test_it_ends_even_if_python_drops_the_exit(here: Path, moment: str) -> None:
    """An exception while an object is freed is dropped: so the signal comes just then."""
    program = f"""if True:
        import os, signal, sys
        class Freed:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGTERM)
        def at_the_moment(event, arguments):
            if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL and event == {moment!r} and not sent:
                sent.append(event)
                Freed()
        sent = []
        from ldprange.cli import main
        sys.addaudithook(at_the_moment)
        main()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "Exception ignored" in said  # so it was dropped
    assert process.returncode == 143
    assert "stopped; 0 reports are stored" in said  # in order
