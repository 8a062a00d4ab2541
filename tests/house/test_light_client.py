"""A device needs NumPy and nothing else; whatever needs more says what to install."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ldprange as ldp
from built_package import ROOT, clean_environment, done, link
from running_collector import WITHOUT_LIMITS, counted, serving

SHOWN = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_type_checkers_and_python_know_the_same_names() -> None:
    tree = ast.parse((ROOT / "src/ldprange/__init__.py").read_text(encoding="utf-8"))
    (told,) = (node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name))
    checked = {alias.name for node in told.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert checked | {"MissingPackageError"} == {*ldp.__all__, "NaiveBayes", "DecisionStump"}


def test_importing_the_package_alone_loads_nothing_heavy() -> None:
    loaded = done([sys.executable, "-c", "import sys, ldprange; print(*sys.modules)"]).stdout.split()
    assert {name for name in loaded if name.startswith("ldprange")} == {"ldprange", "ldprange.errors"}
    assert "numpy" not in loaded


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the commands of an environment that has the package, and NumPy."""
    return clean_environment(tmp_path_factory.mktemp("light") / "environment", wheel, "numpy")


@pytest.mark.system
def test_the_telemetry_page_runs_on_a_device_that_has_numpy_only(light: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/telemetry.md").read_text(encoding="utf-8")
    planning, *application = SHOWN.findall(page)
    done([str(light / "python"), "-c", planning], cwd=tmp_path)
    with serving(tmp_path / "store", WITHOUT_LIMITS) as service:
        plan = ldp.Plan.load(tmp_path / "build-time.plan.json")
        service.create("build-time", plan, batches=False)
        address = f"http://127.0.0.1:{service.port}/s/build-time"
        program = "\n".join(application).replace("https://example.org/s/build-time", address)
        assert address in program
        calls = [
            "here = Path()",
            "build_has_ended(12.5, here)",
            "report_build_time(99999, here)",  # the same person once more
            "build_has_ended(float('nan'), here)",  # on the same day
            "start_reporting(3, here).join()",
            "print(ldp.Ledger('telemetry.ledger', budget=1.0).pending())",
        ]
        said = done([str(light / "python"), "-c", "\n".join([program, *calls])], cwd=tmp_path)
        assert said.stdout.split() == ["[]"]
        assert counted(service, "build-time").reports == 1


@pytest.mark.system
def test_telemetry_waits_where_there_is_no_network(light: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/telemetry.md").read_text(encoding="utf-8")
    planning, *application = SHOWN.findall(page)
    nobody = "http://127.0.0.1:1/s/build-time"
    program = "\n".join([planning, *application]).replace("https://example.org/s/build-time", nobody)
    calls = "build_has_ended(float('nan'), Path()); Path('telemetry.tried').unlink(); "
    calls += "build_has_ended(7, Path()); print(len(ldp.Ledger('telemetry.ledger', budget=1.0).pending()))"
    assert done([str(light / "python"), "-c", f"{program}\n{calls}"], cwd=tmp_path).stdout.split() == ["1"]


@pytest.mark.system
@pytest.mark.parametrize(
    ("asked", "extra"),
    [
        ("ldp.NaiveBayes", "learn"),
        ("ldp.DecisionStump", "learn"),
        ("found.plot()", "plot"),
        ("from ldprange.files import read_values; read_values('people.csv', None, plan.domain)", "files"),
        ("from ldprange.files import read_values; read_values('people.txt', None, plan.domain)", "files"),
        ("from ldprange.files import write_reports; write_reports('a.parquet', plan, [batch])", "files"),
        ("from ldprange.engines import spark", "files"),
    ],
)
def test_a_name_that_needs_more_says_what_to_install(light: Path, asked: str, extra: str) -> None:
    program = f"""
import ldprange as ldp
plan = ldp.Plan(ldp.Domain.integers(0, 7), 1.0, ldp.Flat(), ldp.GRR())
batch = ldp.encode_many(plan, [1, 2, 3], seed=1)
found = ldp.estimate(ldp.Aggregate.of(plan, batch))
print(found.range(1, 3))
{asked}
"""
    said = subprocess.run([light / "python", "-c", program], capture_output=True, text=True, check=False)
    assert said.stdout
    assert said.stderr.strip().endswith(
        f"which is not installed; pip install 'ldprange[{extra}]', or in a checkout '.[{extra}]'"
    )


@pytest.mark.system
def test_the_command_without_its_packages_says_what_to_install(light: Path) -> None:
    for command in ([str(light / "ldprange"), "--help"], [str(light / "python"), "-m", "ldprange", "demo"]):
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        assert said.returncode == 2
        needs = (
            "error: the command line needs click, which is not installed; "
            "pip install 'ldprange[cli]', or in a checkout '.[cli]'\n"
        )
        assert said.stderr == needs


@pytest.mark.system
@pytest.mark.parametrize(
    ("packages", "typed", "needs"),
    [
        ("click", "plan --low 0 --high 7 --epsilon 1 -o a.json", "the command line needs rich"),
        ("click rich pygments markdown-it-py mdurl", "serve --data store", "a collector needs sqlalchemy"),
    ],
)
def test_a_command_whose_package_is_missing_says_which(
    light: Path, tmp_path: Path, packages: str, typed: str, needs: str
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    link(packages.split(), more)
    said = subprocess.run(
        [light / "ldprange", *typed.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(more)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert said.stderr.startswith(f"error: {needs}, which is not installed; pip install 'ldprange[")
    assert [path.name for path in tmp_path.iterdir()] == ["more"]
