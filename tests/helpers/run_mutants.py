"""Makes each mutant in a copy of the sources, and finds which test notices it: ``scripts/mutants``.

    scripts/mutants                     print the table, and fail if a mutant is not noticed
    scripts/mutants --write FILE        write the page as well
    scripts/mutants --sampled           of those that must be compiled a few only, as the tests do

The tests are those of the ordinary suite, the cheap and exact ones, and first of all the one that noticed the
mutant when the page was written. They run in processes that are forked after all that is slow to import is
there, but for this package, which comes from the copy.
"""

from __future__ import annotations

import argparse
import compileall
import gc
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import compiled_copy
from mutants import ALL, COMPILED, JAVASCRIPT, PYTHON, SAMPLED, Mutant

ROOT = Path(__file__).parents[2]
WRITTEN = ROOT / "docs" / "mutants.md"

SLOW_TO_IMPORT = (
    "_hypothesis_pytestplugin",
    "click.testing",
    "numpy",
    "packaging.requirements",
    "scipy.stats",
    "xdist.scheduler",
)
COPIED = ("src/ldprange", "src/compiled", "clients/javascript", "test_vectors")
SECONDS = 300  # for the tests of one mutant
hypothesis.settings.register_profile(
    "noticing",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    phases=[
        hypothesis.Phase.explicit,
        hypothesis.Phase.generate,
    ],  # that a test fails is enough: no simpler example is looked for
)
_VECTORS = "tests/protocol/test_published_vectors.py::test_"
_CONTRACT = "tests/oracles/test_oracle_contract.py::test_"

ENCODING = (
    f"{_VECTORS}reports",
    f"{_VECTORS}plans",
    "tests/oracles/test_oracle_coins.py",
    "tests/client/test_client.py",
    "tests/oracles/test_worst_ratios.py",
    f"{_CONTRACT}encode_keeps_to_the_likelihoods",
    "tests/oracles/test_shifted.py::test_a_client_encodes_by_the_stated_law",
)
"""What notices a mistake in a report, in the order in which it is run, until one does."""

OTHERS = {
    "client/encoding.py": (
        f"{_VECTORS}reports",
        "tests/client/test_client.py",
        "tests/client/test_acceptance.py",
    ),
    "client/ledger.py": (
        "tests/client/test_ledger.py::test_exactly_enough_passes_and_a_hair_more_does_not",
        "tests/client/test_ledger.py",
    ),
    "learning/client.py": ("tests/learning/test_labelled.py::test_the_client_sends_by_this_law",),
    "kernels/numpy_randomisers.py": (
        "tests/oracles/test_worst_ratios.py",
        f"{_CONTRACT}encode_many_keeps_to_the_likelihoods",
        "tests/kernels/test_kernels.py",
    ),
    "randomness.py": (
        "tests/oracles/test_oracle_coins.py::test_grr_encodes_by_its_stated_law",
        "tests/oracles/test_oracle_coins.py::test_a_uniform_choice_covers_its_range_evenly_and_draws_again_beyond_it",
        "tests/client/test_client.py",
        *ENCODING,
    ),
}
"""What notices a mistake in other files."""

NODE = "node "  # a file of tests runs itself: without --test there is one process instead of two
BY_JAVASCRIPT = (
    f"{NODE}test/coins.test.js",
    f"{NODE}--test-name-pattern=^(reports|levels|hashes) test/vectors.test.js",
    f"{NODE}test/refusals.test.js",
    "tests/javascript/test_javascript_client.py::test_thresholds_are_those_of_python",
)
"""What notices a mistake in the JavaScript client."""

_TWINS = "tests/kernels/test_twins.py::test_"
BY_COMPILED = (
    "tests/kernels/test_edges.py",
    "tests/kernels/test_bits_and_sets.py::test_sets_are_numbered_in_their_order",
    *(f"{_TWINS}{kernel}" for kernel in ("words", "levels", "contrasts", "draws_below_a_bound", "responses")),
    *(f"{_TWINS}{kernel}" for kernel in ("hadamard_codes", "one_persons_symbol_is_that_of_many", "subsets")),
    "tests/kernels/test_bits_and_sets.py::test_numbers_of_large_sets_are_the_twins",
)
"""What notices a mistake in the compiled kernels: first of all, that they are not their NumPy twins."""

PAGE = """\
# Mutants: mistakes that tests notice

A *mutant* is a small mistake made on purpose: a threshold that is one too large, a coin used twice, a level
chosen by the value. Each of these {number} was made, one at a time, in a copy of the sources, and tests of
the ordinary suite were run until one failed. A mutant that no test noticed would be a hole in the tests.
`scripts/mutants` runs them all, and fails if one is not noticed or if its place in the sources is gone;
`scripts/mutants --write docs/mutants.md` writes this page. The lists are `tests/helpers/*_mutants.py`.

These tests compare reports with exact laws (every outcome of the coins, in whole numbers) and with published
vectors, so they see a chance that is off by 2⁻³². What they cannot show is that no other mistake is possible.

| file | what is wrong | noticed by |
|---|---|---|
{rows}
"""


def checks_of(file: str) -> Sequence[str]:
    """Return the tests that must notice a mistake in a ``file``."""
    if file.endswith(".js"):
        return BY_JAVASCRIPT
    if is_compiled(file):
        return BY_COMPILED
    return next((tests for end, tests in OTHERS.items() if file.endswith(end)), ENCODING)


def is_compiled(file: str) -> bool:
    """Return whether a ``file`` is compiled before it is tested."""
    return file.endswith((".cpp", ".hpp"))


def told() -> dict[tuple[str, str], str]:
    """Return by file and mistake the test that, as the page tells, noticed a mutant."""
    cells = (line.split("`") for line in WRITTEN.read_text(encoding="utf-8").splitlines())
    rows = ((row[1], "`".join(row[2:-2])[3:-3], row[-2]) for row in cells if row[0] == "| ")
    return {(file, wrong): _check(test) for file, wrong, test in rows}


def _shown(test: str) -> str:
    """Return how the page tells of a ``test``."""
    return test.replace("tests/", "")


def _check(told: str) -> str:
    """Return how the test is run that the page has ``told``; "" for what is no test."""
    place, _, name = told.partition(": ")
    if place.endswith(".js"):
        return f"{NODE}{shlex.quote(f'--test-name-pattern=^{re.escape(name[1:-1])}$')} {place}"
    return f"tests/{told}" if "::" in told else ""


@contextmanager
def mutated(copy: Path, mutant: Mutant) -> Iterator[None]:
    """Have a ``mutant`` in the ``copy`` of the sources for a while; one that does not apply is an error."""
    path = copy / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(
            f"a mutant's text must stand once in {mutant.file}, and stands there {text.count(mutant.old)} "
            f"times: {mutant.old!r}; the file was changed, so change its mutants in tests/helpers too"
        )
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()  # two versions of a file may have one size and one second
    if is_compiled(mutant.file):
        compiled_copy.build(copy)
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")


def noticed_by(copy: Path, checks: Sequence[str]) -> str:
    """Return the first test of ``checks`` that fails with the ``copy`` of the sources; "" if none does."""
    for check in checks:
        if check.startswith(NODE) and (found := _by_node(copy, check)):
            return found
    tests = [check for check in checks if not check.startswith(NODE)]
    return _by_pytest(copy, tests) if tests else ""


def _in_few_processes(checks: Sequence[str]) -> list[str]:
    """Return these ``checks``, those of one file of Node's as one."""
    patterns: dict[str, list[str]] = {}
    for check in checks:
        if check.startswith(NODE):
            *options, file = shlex.split(check)[1:]
            patterns.setdefault(file, []).extend(options)
    others = [check for check in checks if not check.startswith(NODE)]
    return [f"{NODE}{shlex.join([*options, file])}" for file, options in patterns.items()] + others


def _by_node(copy: Path, check: str) -> str:
    done = subprocess.run(
        ["node", "--test-reporter=tap", *shlex.split(check)[1:]],
        cwd=copy / "clients" / "javascript",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode == 0:
        return ""
    failed = re.search(r"^ *not ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    return f"{shlex.split(check)[-1]}: {failed[1] if failed else done.stderr[-200:]!r}"


class _FirstFailure:
    """A plugin of pytest that remembers the first test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.name = self.name or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.name = self.name or report.nodeid


def _by_pytest(copy: Path, tests: Sequence[str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(SECONDS)
        code = 1
        try:
            os.write(writing, _failure(copy, tests).encode())
            code = 0
        except BaseException:  # whatever it is, the process must end here
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise SystemExit(f"{tests} must be run to their end, and ended with status {status}")
    return found


def _failure(copy: Path, tests: Sequence[str]) -> str:
    """Return the test that fails, in a process that is used for nothing else."""
    sys.dont_write_bytecode = True
    # how the package is installed must not matter: the copy comes first
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(copy / "src"))
    # compiled kernels are there if they are what is tested
    os.environ["LDPRANGE_KERNELS"] = "compiled" if compiled_copy.is_built(copy) else "numpy"
    os.environ["HYPOTHESIS_PROFILE"] = "noticing"
    failure = _FirstFailure()
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        import node_client

        node_client.FOLDER = copy / "clients" / "javascript"
        os.chdir(ROOT)
        # no doctests, and no text of the failure, which nobody reads
        options = ["-x", "-q", "--assert=plain", "--tb=native", "--override-ini=addopts="]
        for plugin in ("anyio", "cacheprovider", "schemathesis", "xdist"):  # to import them takes long
            options += ["-p", f"no:{plugin}"]
        code = pytest.main([*options, *tests], [failure])
        ours = sys.modules["ldprange"].__file__ if "ldprange" in sys.modules else None
    if ours is None or not Path(ours).is_relative_to(copy):
        raise RuntimeError(f"the copy must be tested, and {ours} was")
    return failure.name or ("conftest.py: cannot be imported" if code else "")


def notice(chosen: Sequence[Mutant]) -> Iterator[str]:
    """Yield for each of the ``chosen`` mutants the test that notices it, or "" if none does.

    At the end, all of these tests must pass without any mutant.
    """
    first, passing = told(), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        for each in COPIED:
            shutil.copytree(ROOT / each, copy / each, ignore=shutil.ignore_patterns("__pycache__", "static"))
        compileall.compile_dir(copy / "src", quiet=1)
        compiled = any(is_compiled(mutant.file) for mutant in chosen)
        if compiled:
            compiled_copy.configure(copy)
        for name in SLOW_TO_IMPORT:  # here, so that not every fork has to
            import_module(name)
        gc.freeze()  # in every fork pytest would look through all that is here already, for garbage
        for mutant in chosen:
            with mutated(copy, mutant):
                known = first.get((mutant.file, mutant.wrong), "")
                found = (known and noticed_by(copy, [known])) or noticed_by(copy, checks_of(mutant.file))
            passing.add(_check(_shown(found)) or checks_of(mutant.file)[0])
            yield found
        if compiled:
            compiled_copy.build(copy)  # the last mutant is still in it
        if found := noticed_by(copy, _in_few_processes(sorted(passing))):
            raise SystemExit(f"without any mutant all tests must pass, and {found} does not")


def page(found: Sequence[str]) -> str:
    """Return the page with a table of all mutants, each with the test that was ``found`` to notice it."""
    rows = [
        f"| `{mutant.file}` | {mutant.wrong} | `{_shown(test)}` |"
        for mutant, test in zip(ALL, found, strict=True)
    ]
    return PAGE.format(number=len(ALL), rows="\n".join(rows))


def main() -> int:
    """Run all mutants, print what noticed each, and return 1 if one was not noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", metavar="FILE", type=Path, help="write the page with the table")
    parser.add_argument("--sampled", action="store_true", help="compile a few mutants only")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)  # what one of the processes does
    arguments = parser.parse_args()
    if arguments.write and arguments.sampled:
        parser.error("the page tells of all mutants: --write goes without --sampled")
    parts: tuple[Sequence[Mutant], ...] = PYTHON, JAVASCRIPT, SAMPLED if arguments.sampled else COMPILED
    if not compiled_copy.can_be_built():
        if arguments.write:
            parser.error("the page tells of all mutants, and the compiled kernels were not built")
        print("NOT TESTED for want of a C++ compiler: mutants of the compiled kernels", file=sys.stderr)
        parts = parts[:2]
    if arguments.part is not None:
        for test in notice(parts[arguments.part]):
            print(test, flush=True)
        return 0
    options = ["--sampled"] * arguments.sampled
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, *options, "--part", str(part)], stdout=subprocess.PIPE, text=True
        )
        for part in range(len(parts))
    ]
    found = []
    for part, process in zip(parts, processes, strict=True):  # each goes on while another is read
        for mutant in part:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise SystemExit(f"{mutant.file}: {mutant.wrong}: could not be tested, for the reason above")
            found.append(line.strip())
            print(f"{mutant.file}: {mutant.wrong}: {found[-1] or 'NOT NOTICED'}", flush=True)
    for process in processes:
        process.communicate()
        if process.returncode:
            raise SystemExit("a test fails without any mutant, as is told above")
    left = found.count("")
    print(f"{len(found) - left} of {len(found)} mutants were noticed")
    if arguments.write and not left:
        arguments.write.write_text(page(found), encoding="utf-8")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
