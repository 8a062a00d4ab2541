"""What is shipped holds all that it should and nothing else, and runs what README says to type."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import ldprange as ldp
from built_package import ROOT, clean_environment, done, packages_of
from compiled_copy import COMPILE_ONCE
from kernel_twins import needs_compiled
from running_collector import Service, wait_for

pytestmark = pytest.mark.system

README = (ROOT / "README.md").read_text(encoding="utf-8")
TYPED = [
    shlex.split(line, comments=True)
    for block in re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
REHEARSE = """
import ldprange as ldp
from ldprange.kernels import KIND
plan = ldp.choose_plan(ldp.Domain.integers(0, 120), epsilon=1.1, expected_users=1000)
print(KIND, ldp.estimate(ldp.Aggregate.of(plan, ldp.encode_many(plan, [35] * 1000, seed=1))).range(30, 60))
"""


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return what ``python -m build`` makes, by ending: the sdist, and the wheel that it makes of that."""
    out = tmp_path_factory.mktemp("shipped")
    # what building takes is pinned among the tests' packages; a release fetches it, without this option
    done(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        env={**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": str(COMPILE_ONCE)},
    )
    made = {file.suffix: file for file in out.iterdir()}
    assert set(made) == {".gz", ".whl"}
    return made


@pytest.fixture(scope="module")
def contents(shipped: dict[str, Path]) -> dict[str, bytes]:
    """Return the files in the wheel, with their bytes."""
    with zipfile.ZipFile(shipped[".whl"]) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(contents: dict[str, bytes]) -> None:
    source = ROOT / "src"
    files = [file for file in (source / "ldprange").rglob("*") if file.is_file()]
    expected = {
        file.relative_to(source).as_posix(): file.read_bytes()
        for file in files
        if file.parent.name != "__pycache__" and file.suffix != ".so"
    }
    packed = {name: data for name, data in contents.items() if ".dist-info/" not in name}
    compiled = {name for name in packed if re.fullmatch(r"ldprange/kernels/_compiled\.[\w-]+\.so", name)}
    assert len(compiled) <= 1
    assert set(packed) - compiled == set(expected)
    assert all(packed[name] == data for name, data in expected.items())  # links of the browser's client too
    for needed in ("py.typed", "service/static/client.js", "service/static/survey.html", "cli/__init__.py"):
        assert f"ldprange/{needed}" in packed


def test_the_wheel_has_its_licence_and_the_command(contents: dict[str, bytes]) -> None:
    described = {
        name.partition(".dist-info/")[2]: data for name, data in contents.items() if ".dist-info/" in name
    }
    assert set(described) == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert described["licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert re.search(rb"^ldprange ?= ?ldprange\.cli:main$", described["entry_points.txt"], re.MULTILINE)
    assert described["METADATA"].decode().endswith(README)


def test_the_sdist_has_every_file_of_the_repository_and_nothing_else(shipped: dict[str, Path]) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, so what the sdist holds was NOT compared with it")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = done(command, cwd=ROOT).stdout.splitlines()
    kept = {name for name in listed if (ROOT / name).is_file()}
    with tarfile.open(shipped[".gz"]) as sdist:
        packed = {name.partition("/")[2] for name in sdist.getnames()}
    assert packed == kept | {"PKG-INFO"}


def test_without_a_compiler_it_installs_all_the_same(shipped: dict[str, Path], tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for tool in ("cmake", "ninja"):  # pip fetches them for the build
        (bare / tool).symlink_to(Path(sys.executable).parent / tool)
    commands = clean_environment(
        tmp_path / "environment",
        shipped[".gz"],
        *("numpy", "scikit-build-core", "pathspec", "packaging", "nanobind"),
        options=["--no-build-isolation"],
        env={**os.environ, "PATH": str(bare), "CXX": str(bare / "no-compiler")},
    )
    kind, *said = done([str(commands / "python"), "-c", REHEARSE], cwd=tmp_path).stdout.split()
    assert kind == "numpy"
    here = done([sys.executable, "-c", REHEARSE], cwd=tmp_path).stdout.split()
    assert said == here[1:]  # a seed means the same
    # all that README shows of the library, with NumPy alone
    done([str(commands / "python"), "-m", "doctest", str(ROOT / "README.md")], cwd=tmp_path)


@pytest.fixture(scope="module")
def installed(shipped: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the commands of an environment for each extra that README tells of, as pip would fill it."""
    hints = [typed[2] for typed in TYPED if typed[:2] == ["pip", "install"]]
    extras = {re.fullmatch(r"\.(?:\[(\w+)\])?", hint)[1] for hint in hints}  # type: ignore[index]
    assert extras == {None, "cli", "serve"}
    place = tmp_path_factory.mktemp("installed")
    return {
        extra: clean_environment(place / extra, shipped[".whl"], *packages_of(shipped[".whl"], extra))
        for extra in ("cli", "serve")
    }


@needs_compiled
def test_the_wheel_brings_the_compiled_kernels(installed: dict[str, Path], tmp_path: Path) -> None:
    said = done([str(installed["cli"] / "python"), "-c", REHEARSE], cwd=tmp_path).stdout
    assert said.split()[0] == "compiled"


def test_every_command_of_readme_is_one_that_is_tried_here() -> None:
    programs = {typed[0] for typed in TYPED}
    scripts = {program for program in programs if program.startswith("scripts/")}
    assert programs - scripts == {"pip", "ldprange"}
    assert all(os.access(ROOT / script, os.X_OK) for script in scripts)


def test_the_command_line_of_readme_runs_as_installed(installed: dict[str, Path], tmp_path: Path) -> None:
    ages = np.random.default_rng(7).normal(43, 15, 2000).clip(0, 119).astype(int)
    (tmp_path / "people.csv").write_text("\n".join(["age", *map(str, ages)]), encoding="utf-8")
    commands = [typed[1:] for typed in TYPED if typed[0] == "ldprange" and typed[1] != "serve"]
    assert len(commands) >= 8
    for arguments in (["demo"], *commands):
        said = done([str(installed["cli"] / "ldprange"), *arguments], cwd=tmp_path).stdout
        if arguments[0] == "aggregate":  # the next day's
            plan = ldp.Plan.load(tmp_path / "ages.plan.json")
            ldp.simulate_values(plan, ages, seed=1).save(tmp_path / "tuesday.agg")
        if arguments[0] == "query":
            assert "95% interval" in said


@pytest.mark.parametrize("arguments", [typed[1:] for typed in TYPED if typed[:2] == ["ldprange", "serve"]])
def test_the_collector_of_readme_runs_as_installed(
    installed: dict[str, Path], tmp_path: Path, arguments: list[str]
) -> None:
    command = [str(installed["serve"] / "ldprange"), *arguments, "--port", "0"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        said = ""
        while "Ctrl-C" not in said and (line := process.stdout.readline()):
            said += line
        page = re.search(r"http://127\.0\.0\.1:(\d+)(/s/\S+)", said)
        assert page, said
        service = Service(int(page[1]))
        wait_for(service)
        assert b"survey.js" in service.get(page[2], token=None).body
        process.send_signal(signal.SIGINT)
        assert "stopped; 0 reports are stored" in process.communicate(timeout=60)[0]
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()
