"""What a running installation is made of: ``python supply/bill_of_materials.py`` prints it.

CycloneDX 1.5 in JSON: every package that requirements/run.txt pins, with its version, hashes, licence (as the
installed package states it) and needs; and what is copied into our own package. It has no time and no random
number in it, so that the same pins give the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
_COPIED = {"uPlot": ("src/ldprange/service/static/uPlot.iife.min.js", r"uPlot \(v([\d.]+)\)", "MIT")}


def normal(name: str) -> str:
    """Return a package's name as indices write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(text: str) -> dict[str, tuple[str, list[str]]]:
    """Return the version and the hashes of every package that a file of requirements pins."""
    found = {}
    starts = [*_PIN.finditer(text)]
    for pin, end in zip(starts, [*(each.start() for each in starts[1:]), len(text)], strict=True):
        found[normal(pin[1])] = pin[2], re.findall(r"--hash=sha256:([0-9a-f]{64})", text[pin.start() : end])
    return found


def bill(requirements: Path = ROOT / "requirements/run.txt") -> dict[str, Any]:
    """Return the bill of materials of what ``requirements`` pin, and of the package itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = pinned(requirements.read_text(encoding="utf-8"))
    own = _address(project["name"], project["version"])
    described = {
        "type": "library",
        "bom-ref": own,
        "name": project["name"],
        "version": project["version"],
        "purl": own,
        "licenses": _licence(project["license"]),
    }
    addresses = {name: _address(name, version) for name, (version, _) in pins.items()}
    direct = {_first_word(each) for each in _needs(project, "serve")}
    needs = {own: sorted(addresses[name] for name in direct & set(pins))}
    components = []
    for name, (version, hashes) in sorted(pins.items()):
        needed, stated = _installed(name)
        needs[addresses[name]] = sorted(addresses[each] for each in needed & set(pins))
        components.append(
            {
                "type": "library",
                "bom-ref": addresses[name],
                "name": name,
                "version": version,
                "purl": addresses[name],
                "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
                **({"licenses": _licence(stated)} if stated else {}),
            }
        )
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": described},
        "components": [*components, *_copied()],
        "dependencies": [{"ref": ref, "dependsOn": list(on)} for ref, on in sorted(needs.items())],
    }


def _needs(project: dict[str, Any], extra: str) -> list[str]:
    """Return what the package needs with an ``extra``, and with the extras that this one takes in."""
    stated = project["optional-dependencies"][extra]
    own = [named for each in stated for named in re.findall(rf"^{project['name']}\[(\w+)\]$", each)]
    others = [each for each in stated if not each.startswith(f"{project['name']}[")]
    return [*project["dependencies"], *others, *(need for each in own for need in _needs(project, each))]


def _address(name: str, version: str) -> str:
    return f"pkg:pypi/{normal(name)}@{version}"


def _first_word(requirement: str) -> str:
    return normal(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0])


def _licence(stated: str) -> list[dict[str, Any]]:
    return [{"license": {"name": stated}}]


def _installed(name: str) -> tuple[set[str], str]:
    """Return which packages an installed one needs, without those of its extras, and its licence."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:  # of another platform
        return set(), ""
    needed = {_first_word(each) for each in stated.get_all("Requires-Dist") or [] if "extra ==" not in each}
    classifiers = [each for each in stated.get_all("Classifier") or [] if each.startswith("License ::")]
    expression, text = ((stated.get_all(key) or [""])[0] for key in ("License-Expression", "License"))
    said = expression or text.strip().split("\n")[0][:100]
    return needed, said or (classifiers[0].split(" :: ")[-1] if classifiers else "")


def _copied() -> list[dict[str, Any]]:
    """Return what is part of our own package, and somebody else's."""
    found = []
    for name, (file, version, licence) in _COPIED.items():
        said = re.search(version, (ROOT / file).read_text(encoding="utf-8"))
        if said is None:
            raise SystemExit(f"{file} must begin with its version, and it does not")
        address = f"pkg:npm/{name.lower()}@{said[1]}"
        found.append(
            {
                "type": "library",
                "bom-ref": address,
                "name": name,
                "version": said[1],
                "purl": address,
                "licenses": _licence(licence),
            }
        )
    return found


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=2)
    print()
