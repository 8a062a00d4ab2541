"""How long a program waits for its first report: ``python benchmarks/first_use.py``.

Each line is the least time of several fresh processes, beside that of importing NumPy alone, which every
client needs. Modules have been compiled to bytecode, as pip leaves them.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ldprange as ldp
from speed import show

TURNS = 10
PROGRAMS = {
    "import numpy": ("import numpy", "none"),
    "import ldprange": ("import ldprange", "0.1 s"),
    "import ldprange, read a plan, encode a first value": (
        "import ldprange as ldp; ldp.Client(ldp.Plan.load('a.plan.json')).encode(35)",
        "none",
    ),
}
CLOCKED = """
import time
begin, busy = time.perf_counter(), time.process_time()
{}
print(time.perf_counter() - begin, time.process_time() - busy)
"""

if __name__ == "__main__":
    compileall.compile_dir(Path(ldp.__file__).parent, quiet=1)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        plan = ldp.choose_plan(ldp.Domain.integers(0, 120), epsilon=1.1, expected_users=10**5)
        plan.save(Path(folder) / "a.plan.json")
        best = {name: [float("inf")] * 2 for name in PROGRAMS}
        for _turn in range(TURNS):  # in turns: a busy machine slows all of them
            for name, (program, _) in PROGRAMS.items():
                command = [sys.executable, "-c", CLOCKED.format(program)]
                run = subprocess.run(
                    command, cwd=folder, env=environment, check=True, capture_output=True, text=True
                )
                best[name] = [
                    min(pair) for pair in zip(best[name], map(float, run.stdout.split()), strict=True)
                ]
        for name, (_, bar) in PROGRAMS.items():
            show(name, "{:.3f} s ({:.3f} of processors)".format(*best[name]), bar)
