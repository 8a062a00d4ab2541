"""``python -m experiments.page``: publish what was reproduced.

Tables, figures and the page come from the runs that ``python -m experiments`` left, at full size or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import click

from experiments.catalogue import EXPERIMENTS
from experiments.commands import publish, usage_errors
from experiments.errata import ERRATA
from experiments.figures import column
from experiments.sizes import FULL
from experiments.store import Store
from experiments.tables import (
    Entry,
    Table,
    as_written,
    distinct,
    markdown,
    number,
    read_table,
    select,
)
from experiments.theory import best_branching
from ldprange.errors import FileError

HOME = Path(__file__).parent.parent / "docs" / "reproduction"
"""The published tables and figures; the page stands beside it."""
_NAMES = {"TreeOUE2": "HH₂", "TreeOUE4": "HH₄", "TreeOUE16": "HH₁₆", "HaarHRR": "HaarHRR"}
_EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@click.command()
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of the results, all experiments, at the paper's size.",
)
def main(results: Path) -> None:
    """Publish results: tables and figures in docs/reproduction, and the page docs/reproduction.md."""
    with usage_errors():
        store = Store(results, click.echo)
        missing = store.missing(run for each in EXPERIMENTS.values() for run in each.runs(FULL))
        if missing:
            raise FileError(
                f"{results} must hold all runs at the paper's size, and {len(missing)} are missing; "
                "nothing was published: run python -m experiments, without --quick, --bins or --users"
            )
        tables = {name: as_written(each.tabulate(store, FULL)) for name, each in EXPERIMENTS.items()}
        text = page(tables)
        drawn = {
            file: figure
            for name, table in tables.items()
            for file, figure in EXPERIMENTS[name].draw(table).items()
        }
        publish(HOME, tables, drawn, "png", text)


def published() -> dict[str, Table]:
    """Return the published tables."""
    return {name: read_table(HOME / f"{name}.csv") for name in EXPERIMENTS}


def page(tables: dict[str, Table]) -> str:
    """Return the page's text."""
    template = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    parts = {
        "summary": _summary(tables["ranges"], tables["prefixes"]),
        "ranges": _cells(tables["ranges"]),
        "prefixes": _cells(tables["prefixes"]),
        "floor": _floors(tables["ranges"], tables["prefixes"]),
        "branching": _branching(tables["branching"]),
        "centralised": _centralised(tables["centralised"]),
        "centres": _centres(tables["centres"]),
        "quantiles": _quantiles(tables["quantiles"]),
        "theory": _theory(tables["theory"]),
        "errata": _errata(),
    }
    for name, part in parts.items():
        template = template.replace(f"{{{{{name}}}}}", part)
    return template.replace("{{results}}", HOME.name)


def _summary(ranges: Table, prefixes: Table) -> str:
    """Count the cells in which measured and exact, and printed and exact, agree."""
    rows = []
    for name, table in (("ranges", ranges), ("prefixes", prefixes)):
        for bins in distinct(table, "bins"):
            cells = select(table, bins=bins)
            rows.append(
                [
                    f"{name}, {_power(bins)}",
                    f"{min(column(cells, 'repetitions')):.0f}",
                    _agreement(cells, "measured"),
                    _furthest(cells, "measured"),
                    _agreement(cells, "printed"),
                    _furthest(cells, "printed"),
                ]
            )
    headings = [
        "table, D",
        "repetitions",
        "measured within 5% of exact",
        "furthest",
        "printed within 10% of exact",
        "furthest",
    ]
    return markdown(headings, rows)


def _agreement(cells: Table, what: str) -> str:
    bar = 0.05 if what == "measured" else 0.1
    near = [row for row in cells if abs(number(row, what) / number(row, "exact") - 1) <= bar]
    return f"{len(near)} of {len(cells)}"


def _furthest(cells: Table, what: str) -> str:
    ratios = [number(row, what) / number(row, "exact") - 1 for row in cells]
    return f"{100 * max(ratios, key=abs):+.1f}%"


def _cells(table: Table) -> str:
    """Return a table a domain: measured, exact and printed in every cell."""
    texts = []
    for bins in distinct(table, "bins"):
        rows = select(table, bins=bins)
        methods = distinct(rows, "method")
        lines = []
        for epsilon in distinct(rows, "epsilon"):
            line = [f"{epsilon:.1f}"]
            for method in methods:
                (cell,) = select(rows, epsilon=epsilon, method=method)
                entries = (f"{1000 * number(cell, what):.3f}" for what in ("measured", "exact", "printed"))
                line.append(" · ".join(entries))
            lines.append(line)
        repetitions = f"{min(column(rows, 'repetitions')):.0f} repetitions"
        heading = f"**D = {_power(bins)}** ({repetitions}): measured · exact · printed, × 1000\n\n"
        texts.append(heading + markdown(["ε", *(_NAMES[str(method)] for method in methods)], lines))
    return "\n\n".join(texts)


def _floors(ranges: Table, prefixes: Table) -> str:
    """Fit printed² = exact² + floor² for each domain."""
    rows = []
    for bins in distinct(ranges, "bins"):
        line = [_power(bins)]
        for table in (ranges, prefixes):
            cells = select(table, bins=bins)
            excess = [
                number(row, "printed") ** 2 - number(row, "exact") ** 2
                for row in cells
                if number(row, "epsilon") >= 1
            ]
            mean = sum(excess) / len(excess)
            line.append(f"{1000 * math.copysign(math.sqrt(abs(mean)), mean):+.2f}")
        rows.append(line)
    return markdown(["D", "ranges, × 1000", "prefixes, × 1000"], rows)


def _branching(table: Table) -> str:
    """Name the best method of every panel, and what consistency and Hadamard hashing bring."""
    rows = []
    for bins in distinct(table, "bins"):
        for length in distinct(select(table, bins=bins), "length"):
            panel = select(table, bins=bins, length=length)
            best = min(select(panel, consistent=1), key=lambda row: number(row, "exact"))
            raw = {row["method"]: row for row in select(panel, consistent=0)}
            gains = [
                number(raw[row["method"]], "exact") / number(row, "exact")
                for row in select(panel, consistent=1)
                if row["method"] in raw and row["method"] != "FlatOUE"
            ]
            (haar,) = select(panel, method="HaarHRR")
            flat = min(number(row, "exact") for row in select(panel, method="FlatOUE", consistent=0))
            rows.append(
                [
                    _power(bins),
                    str(length),
                    str(best["method"]),
                    f"{1000 * number(best, 'exact'):.3f}",
                    f"{1000 * number(haar, 'exact'):.3f}",
                    f"{1000 * flat:.3f}",
                    f"{min(gains):.2f} – {max(gains):.2f}",
                ]
            )
    headings = ["D", "r", "best", "its error × 1000", "HaarHRR", "FlatOUE, raw", "raw / consistent, trees"]
    return markdown(headings, rows)


def _centralised(table: Table) -> str:
    rows = [
        [
            str(row["method"]),
            _power(row["bins"]),
            f"{number(row, 'exact'):.4g}" if number(row, "exact") < 10 else f"{number(row, 'exact'):.2f}",
            f"{number(row, 'printed'):g}",
            _per_cent(number(row, "printed") / number(row, "exact")),
        ]
        for row in table
    ]
    return markdown(["method", "D", "exact", "printed", "difference"], rows)


def _centres(table: Table) -> str:
    """Return the least and the largest error over all centres."""
    rows = []
    for bins in distinct(table, "bins"):
        for method in distinct(select(table, bins=bins), "method"):
            line = select(table, bins=bins, method=method)
            rows.append(
                [
                    _power(bins),
                    _NAMES[str(method)],
                    _span(column(line, "exact", 1000)),
                    _span(column(line, "measured", 1000)),
                ]
            )
    return markdown(["D", "method", "exact over all P, × 1000", "measured, × 1000"], rows)


def _quantiles(table: Table) -> str:
    rows = []
    for bins in distinct(table, "bins"):
        for centre in distinct(table, "centre"):
            for method in distinct(select(table, bins=bins), "method"):
                value, quantile = (
                    select(table, bins=bins, centre=centre, method=method, kind=kind)
                    for kind in ("value", "quantile")
                )
                rows.append(
                    [
                        _power(bins),
                        str(centre),
                        _NAMES[str(method)],
                        _bins(max(column(value, "measured"))),
                        f"{100 * max(column(value, 'measured')) / number(value[0], 'bins'):.2f}%",
                        _span(column(quantile, "measured", 1000)),
                    ]
                )
    headings = ["D", "P", "method", "largest mean value error (bins)", "of D", "quantile errors × 1000"]
    return markdown(headings, rows)


def _theory(table: Table) -> str:
    """Return the best branching, by bound and by exact variance."""
    rows = []
    for bins in distinct(select(table, panel="branching"), "bins"):
        line = [_power(bins)]
        for consistent in (0, 1):
            curve = select(table, panel="branching", bins=bins, consistent=consistent)
            best = min(curve, key=lambda row: number(row, "exact"))
            near = [row["place"] for row in curve if number(row, "exact") <= 1.05 * number(best, "exact")]
            line += [str(best["place"]), ", ".join(map(str, near))]
        rows.append(line)
    bounds = (
        f"The bounds are least at B = {best_branching(consistent=False):.3f} without consistency "
        f"and at B = {best_branching(consistent=True):.2f} with it. By exact variances:\n\n"
    )
    headings = ["D", "best B, raw", "within 5% of it", "best B, consistent", "within 5% of it"]
    return bounds + markdown(headings, rows)


def _errata() -> str:
    return "\n".join(
        f'{each.number}. <a id="erratum-{each.number}"></a>**{each.place}.** *Printed:* {each.printed} '
        f"*Correct:* {each.correct} *Computed:* {each.check()}."
        for each in ERRATA
    )


def _per_cent(ratio: float) -> str:
    """Return by how many per cent a ratio is off.

    >>> _per_cent(1.0612), _per_cent(0.99999)
    ('+6.12%', '0.00%')
    """
    text = f"{100 * (ratio - 1):+.2f}%"
    return "0.00%" if text[1:] == "0.00%" else text


def _bins(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def _span(numbers: Iterable[float]) -> str:
    values = list(numbers)
    return f"{min(values):.2f} – {max(values):.2f}"


def _power(bins: Entry) -> str:
    if not isinstance(bins, int):
        raise TypeError(f"bins must be a whole number, got {bins!r}")
    return f"2{str(bins.bit_length() - 1).translate(_EXPONENTS)}"


if __name__ == "__main__":
    main()
