"""The JavaScript client's bins are Python's.

``python tests/javascript/test_javascript_domains.py`` writes those that the client's own tests compare with.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import ldprange as ldp
from ldprange.domain.numbers import _SNAP, Logarithmic, Real
from node_client import FOLDER, answers, as_json, seeded

DOMAINS = FOLDER / "test" / "domains.json"


def _continuous(rng: random.Random) -> Iterator[ldp.Domain]:
    for bins in (1, 2, 3, 7, 10, 100, 1000, 2**16, 2**26, *(rng.randint(1, 10**5) for _ in range(50))):
        low = rng.choice([0.0, -1.0, 0.1, rng.uniform(-1e6, 1e6), rng.uniform(-1e-6, 1e-6)])
        yield ldp.Domain.real(low, low + math.exp(rng.uniform(-5, 20)), bins)
        least = rng.choice([1.0, 0.1, 100.0, math.exp(rng.uniform(-50, 50))])
        yield ldp.Domain.logarithmic(
            least, least * rng.choice([10.0, 1e6, math.exp(rng.uniform(0.1, 100))]), bins
        )
    yield ldp.Domain.real(0.0, 1.0, 10)
    yield ldp.Domain.real(-0.3, 0.3, 6)
    yield ldp.Domain.real(-1e307, 1e307, 12)
    yield ldp.Domain.logarithmic(100.0, 1e6, 1000)


def _edge_values(domain: Any, rng: random.Random, edges: int) -> Iterator[float]:
    """Yield values inside bins, on their edges, just beside them, and where snapping to them begins."""
    yield from (domain.low, domain.high)
    for _ in range(edges):
        edge = rng.choice([0, 1, domain.bins, rng.randint(0, domain.bins)])
        slack = _SNAP * max(1, edge)
        for place in (edge, edge + slack, edge - slack, edge + slack / 2, edge - slack / 2, edge + 0.5):
            value = domain.at(min(max(place, 0.0), float(domain.bins)))
            yield from (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
        yield float(f"{rng.uniform(domain.low, domain.high):.3g}")
        yield rng.uniform(domain.low, domain.high)


def _bins(domain: ldp.Domain, values: Sequence[Any]) -> list[int | None]:
    found: list[int | None] = []
    for value in values:
        try:
            found.append(domain.index_one(value))
        except ldp.DomainError:
            found.append(None)
    return found


def _on_the_brink(domain: Any, value: float) -> bool:
    """Say whether a logarithm's last bit decides the bin: the platforms' logarithms differ in it.

    It does only where snapping to an edge begins, a billionth of a bin beside it.
    """
    if domain.kind != "logarithmic" or not domain.low <= value <= domain.high:
        return False
    position = float(domain._positions(np.float64(value)))
    edge = max(1.0, round(position))
    return bool(abs(abs(position - round(position)) - _SNAP * edge) < 1e-14 * max(edge, domain.bins))


def test_bins_of_numbers_are_those_of_python(node: str) -> None:
    rng = seeded(3)
    domains = list(_continuous(rng))
    values = [list(_edge_values(domain, rng, edges=60)) for domain in domains]
    cases = [{"domain": d.to_dict(), "values": v} for d, v in zip(domains, values, strict=True)]
    compared = brink = 0
    for domain, given, answer in zip(domains, values, answers(node, "bins", cases), strict=True):
        for value, wanted, found in zip(given, _bins(domain, given), answer, strict=True):
            if found != wanted and _on_the_brink(domain, value):
                assert None not in (found, wanted)
                assert abs(found - wanted) == 1
                brink += 1
            else:
                assert found == wanted, (domain, value)
                compared += 1
    assert compared > 100_000
    assert brink < compared / 100


def test_bins_of_days_and_labels_are_those_of_python(node: str) -> None:
    rng = seeded(4)
    cases, wanted = [], []
    for first, last in [
        ("0001-01-01", "0001-12-31"),
        ("1582-10-01", "1582-10-31"),
        ("1899-12-25", "1900-03-05"),
        ("1969-12-30", "1970-01-02"),
        ("2023-12-31", "2024-03-01"),
        ("0001-01-01", "9999-12-31"),
        ("9999-12-31", "9999-12-31"),
    ]:
        domain = ldp.Domain.dates(first, last)
        days = [
            f"{rng.randint(1, 9999):04}-{rng.randint(1, 12):02}-{rng.randint(1, 31):02}" for _ in range(300)
        ]
        days += [domain.at(rng.randrange(domain.bins)).isoformat() for _ in range(100)]
        days += [first, last, "2024-02-29", "2023-02-29", "1900-02-29", "0000-01-01", "2024-13-01", "x", ""]
        cases.append({"domain": domain.to_dict(), "values": days})
        wanted.append(_bins(domain, days))
    labels = ["", " ", "a", "A", "ä", "a\u0308", "🙂", "__proto__", "0", "-0", "é\u200d"]
    domain, texts = ldp.Domain.ordered(labels), [*labels, "b", "🙃", "a ", "toString"]
    cases.append({"domain": domain.to_dict(), "values": texts})
    wanted.append(_bins(domain, texts))
    assert answers(node, "bins", cases) == wanted


def test_bins_beyond_open_ends_are_those_of_python(node: str) -> None:
    rng = seeded(6)
    cases, wanted = [], []
    ends = [0.0, -0.0, 1e-7, 1.5e-6, 1e-5, 0.1, 120.0, 123456.789, 1e16, 1.25e20, 1e21, 2.5e22, 2**53 - 2.0]
    ends += [float(f"{math.exp(rng.uniform(-40, 60)):.{rng.randint(1, 17)}g}") for _ in range(100)]
    for end in ends:
        for domain in (
            ldp.Domain.real(-2 * end - 1, end, 3, open_ends=True),
            ldp.Domain.real(end, 3 * end + 1, 3, open_ends="low"),
            ldp.Domain.integers(int(end % 2**52), int(end % 2**52) + 3, open_ends="high"),
        ):
            names = [domain.lower(0), domain.upper(domain.bins - 1)]
            values = [*names, end, 2 * end, -end, -9 * end, "less than", "more than 1", None, ""]
            cases.append({"domain": domain.to_dict(), "values": values})
            wanted.append(_bins(domain, values))
    days = ["2024-02-01", "2024-01-31", "1999-12-31", "2024-03-01", "2024-02-30", "before 2024-02-01", "x"]
    for sides in ("both", "low", "high"):
        month = ldp.Domain.dates("2024-02-01", "2024-02-29", open_ends=sides)
        cases.append({"domain": month.to_dict(), "values": days})
        wanted.append(_bins(month, days))
    assert answers(node, "bins", cases) == wanted
    assert {None, 0, 1, 4, 29} <= {place for row in wanted for place in row}


def test_null_is_no_answer_where_none_is(node: str) -> None:
    insides = [
        ldp.Domain.integers(0, 9),
        ldp.Domain.real(0, 1, 4),
        ldp.Domain.integers(0, 9, open_ends=True),
        ldp.Domain.dates("2024-02-01", "2024-02-29", open_ends="high"),
        ldp.Domain.categories(["north", "south"]),
    ]
    domains = [domain for inside in insides for domain in (inside, inside.with_no_answer())]
    values = [None, "no answer"]
    found = answers(node, "bins", [{"domain": domain.to_dict(), "values": values} for domain in domains])
    assert found == [_bins(domain, values) for domain in domains]
    assert found == [answer for inside in insides for answer in ([None, None], [inside.bins] * 2)]


def _about(domain: ldp.Domain, position: float) -> Any:
    """Return the value at a position, and of real numbers one that a rounding error may have moved."""
    plain, place = domain.plain, position - domain.plain_bins.start
    if not isinstance(plain, Real | Logarithmic) or not 0 <= place < plain.bins:
        return domain.at(position)
    share = place / plain.bins
    if isinstance(plain, Real):
        return plain.low * (1 - share) + plain.high * share
    return plain.low * math.exp(math.log(plain.high / plain.low) * share)


def _published_bins() -> str:
    """Return the bins of some values as Python has them: the text of the client's own test data."""
    rng = seeded(5)
    cases = []
    for domain in (
        ldp.Domain.integers(-3, 119),
        ldp.Domain.real(0.0, 1.0, 10),
        ldp.Domain.real(-0.3, 0.3, 6),
        ldp.Domain.real(1e-3, 123.456, 1000),
        ldp.Domain.logarithmic(1.0, 1000.0, 3),
        ldp.Domain.logarithmic(100.0, 1e6, 1000),
        ldp.Domain.dates("2023-12-30", "2024-03-02"),
        ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]),
        ldp.Domain.integers(0, 119, open_ends=True),
        ldp.Domain.real(0.00001, 0.1, 7, open_ends=True),
        ldp.Domain.logarithmic(1e-7, 1e21, 5, open_ends=True),
        ldp.Domain.dates("2023-12-30", "2024-01-02", open_ends="high"),
        ldp.Domain.integers(0, 9, open_ends="low", no_answer=True),
        ldp.Domain.categories(["north", "south"], no_answer=True),
    ):
        edges = [
            _about(domain, float(edge)) for edge in sorted({*range(min(domain.bins, 12)), domain.bins - 1})
        ]
        values = [as_json(edge) for edge in edges]
        if isinstance(domain, ldp.domain.OpenEnds):
            values += ["2024-01-03", "9999-12-31"] if domain.sides == "high" else [-1e300, 0, 1e300]
        if domain.kind in ("real", "logarithmic"):
            values += [round(_about(domain, rng.uniform(0, domain.bins)), 3) for _ in range(20)]
        cases.append({"domain": domain.to_dict(), "values": values, "bins": _bins(domain, values)})
    return json.dumps(cases, indent=1) + "\n"


def test_the_published_bins_are_those_of_python() -> None:
    assert DOMAINS.read_text(encoding="utf-8") == _published_bins()


if __name__ == "__main__":
    DOMAINS.write_text(_published_bins(), encoding="utf-8")
