"""The plans of the published test vectors, each with values to report."""

from __future__ import annotations

from typing import Any

import ldprange as ldp


def plans() -> dict[str, tuple[ldp.Plan, list[Any]]]:
    """Return plans that between them use every domain, decomposition and oracle, with values to report."""
    ages = ldp.Domain.integers(0, 119)
    return {
        "ages, Haar, HRR": (ldp.Plan(ages, 1.1, ldp.Haar(), ldp.HRR()), [0, 42, 63, 64, 119]),
        "ages, tree, OUE": (ldp.Plan(ages, 1.1, ldp.Tree(branching=4), ldp.OUE()), [0, 42, 119]),
        "ages, tree, OLH on the smallest field": (
            ldp.Plan(ages, 0.5, ldp.Tree(branching=10), ldp.OLH()),
            [0, 42, 99, 119],
        ),
        "ages, flat, OLH on the next field": (ldp.Plan(ages, 1.1, ldp.Flat(), ldp.OLH()), [0, 42, 119]),
        "a wide range, flat, OLH on the largest field": (
            ldp.Plan(ldp.Domain.integers(-500_000, 499_999), 1.1, ldp.Flat(), ldp.OLH()),
            [-500_000, 12_345, 499_999],
        ),
        "sizes, flat, GRR": (
            ldp.Plan(ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]), 2.0, ldp.Flat(), ldp.GRR()),
            ["XS", "M", "XL"],
        ),
        "sizes, Haar, GRR": (
            ldp.Plan(ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]), 2.0, ldp.Haar(), ldp.GRR()),
            ["XS", "M", "XL"],
        ),
        "a day in a month, Haar, Hadamard hashing": (
            ldp.Plan(
                ldp.Domain.dates("2026-01-01", "2026-01-31"), 1.0, ldp.Haar(), ldp.HadamardHashing(bits=2)
            ),
            ["2026-01-01", "2026-01-17", "2026-01-31"],
        ),
        "sizes, flat, subset selection": (
            ldp.Plan(ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]), 0.5, ldp.Flat(), ldp.SubsetSelection()),
            ["XS", "M", "XL"],
        ),
        "ages, tree, subset selection": (
            ldp.Plan(ages, 1.1, ldp.Tree(branching=10), ldp.SubsetSelection()),
            [0, 42, 119],
        ),
        "shares, flat, HRR": (
            ldp.Plan(ldp.Domain.real(0.0, 1.0, 10), 0.1, ldp.Flat(), ldp.HRR()),
            [0.0, 0.1, 0.55, 1.0],
        ),
        "incomes, flat, Hadamard hashing": (
            ldp.Plan(ldp.Domain.logarithmic(100.0, 1e6, 1000), 2.0, ldp.Flat(), ldp.HadamardHashing(bits=3)),
            [100.0, 2500.0, 1e6],
        ),
        "many bins, Haar, HRR": (
            ldp.Plan(ldp.Domain.integers(0, 2**16 - 1), 3.0, ldp.Haar(), ldp.HRR()),
            [0, 1, 32_767, 32_768, 65_535],
        ),
        "minutes, open ends, tree, HRR": (
            ldp.Plan(ldp.Domain.integers(1, 120, open_ends=True), 1.1, ldp.Tree(branching=4), ldp.HRR()),
            [1, 42, 120, "less than 1", "more than 120", 0, 121, 4000],
        ),
        "a share, open above, flat, GRR": (
            ldp.Plan(ldp.Domain.real(0.0, 0.1, 4, open_ends="high"), 2.0, ldp.Flat(), ldp.GRR()),
            [0.0, 0.05, 0.1, 0.2, "more than 0.1"],
        ),
        "minutes, open above, or no answer, Haar, HRR": (
            ldp.Plan(
                ldp.Domain.integers(0, 120, open_ends="high", no_answer=True), 1.1, ldp.Haar(), ldp.HRR()
            ),
            [0, 120, 500, "more than 120", "no answer"],
        ),
        "a region, or no answer, subset selection": (
            ldp.Plan(
                ldp.Domain.categories(["north", "south"], no_answer=True),
                1.0,
                ldp.Flat(),
                ldp.SubsetSelection(),
            ),
            ["north", "south", "no answer"],
        ),
        "an oracle and a probability for each level": (
            ldp.Plan(
                ldp.Domain.integers(0, 63),
                1.5,
                ldp.Tree(branching=4),
                [ldp.GRR(), ldp.OUE(), ldp.HadamardHashing(bits=4)],
                [0.125, 0.5, 0.375],
            ),
            [0, 21, 42, 63],
        ),
        "ages, windows, Hadamard hashing, a probability for each level": (
            ldp.Plan(
                ages,
                1.1,
                ldp.Windows((64, 32, 16, 8, 4, 2, 1)),
                ldp.HadamardHashing(bits=2),
                [0.25, 0.1875, 0.125, 0.125, 0.125, 0.125, 0.0625],
            ),
            [0, 42, 119],
        ),
        "many bins, windows in three stages, an oracle for each level": (
            ldp.Plan(
                ldp.Domain.integers(0, 9_999),
                1.1,
                ldp.Windows(
                    stages=[(512, 20, (8, 2)), (32, 32, (16, 4, 1)), (1, 64, (32, 7, 1))],
                ),
                [ldp.GRR(), ldp.SubsetSelection(), *[ldp.HadamardHashing(bits=2)] * 6],
            ),
            [0, 63, 64, 1023, 1024, 4242, 9_999],
        ),
        "many bins, windows of cells of 25, which are not told apart": (
            ldp.Plan(
                ldp.Domain.integers(0, 999),
                0.2,
                ldp.Windows(stages=[(25, 40, (16, 8, 4, 2, 1))]),
                [*[ldp.SubsetSelection()] * 4, ldp.HadamardHashing(bits=2)],
            ),
            [0, 24, 25, 517, 999],
        ),
        "many bins, windows in two stages, of cells of 7 at the least": (
            ldp.Plan(
                ldp.Domain.integers(0, 400),
                1.1,
                ldp.Windows(stages=[(28, 15, (8, 3)), (7, 12, (8, 1))]),
                ldp.HadamardHashing(bits=2),
            ),
            [0, 6, 7, 83, 84, 400],
        ),
        "a day in a month, windows of days and weeks, subset selection": (
            ldp.Plan(
                ldp.Domain.dates("2026-01-01", "2026-01-31"),
                1.0,
                ldp.Windows((7, 3, 1)),
                ldp.SubsetSelection(),
            ),
            ["2026-01-01", "2026-01-17", "2026-01-31"],
        ),
        "homes, flat, GRR": (
            ldp.Plan(ldp.Domain.categories(["rented", "owned", "shared"]), 1.0, ldp.Flat(), ldp.GRR()),
            ["rented", "shared"],
        ),
        "a single bin": (ldp.Plan(ldp.Domain.integers(7, 7), 1.0, ldp.Flat(), ldp.HRR()), [7]),
        "a grade and an income, trees, Hadamard hashing": (
            ldp.Plan(
                ldp.Domain.product(
                    grade=ldp.Domain.ordered(["E", "D", "C", "B", "A", "A+"]),
                    income=ldp.Domain.real(0.0, 80_000.0, 16),
                ),
                1.1,
                ldp.Tree(branching=4),
                ldp.HadamardHashing(bits=2),
            ),
            [
                {"grade": "E", "income": 0.0},
                {"income": 31_000.0, "grade": "B"},
                {"grade": "A+", "income": 80_000.0},
            ],
        ),
        "four attributes, pairs, an oracle and a probability for each level": (
            ldp.Plan(
                ldp.Domain.product(
                    rooms=ldp.Domain.integers(1, 4),
                    moved=ldp.Domain.dates("2026-01-01", "2026-01-06"),
                    rent=ldp.Domain.logarithmic(100.0, 6400.0, 6),
                    pets=ldp.Domain.ordered(["none", "one", "more"]),
                ),
                1.5,
                ldp.Grids(
                    [(2, 2), (2, 3), (2, 3), (3,)],
                    [
                        *[(0, 0, 1, 0), (0, 0, 2, 0), (0, 1, 0, 0), (0, 2, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0)],
                        *[(1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)],
                    ],
                ),
                [
                    ldp.GRR(),
                    ldp.OUE(),
                    ldp.SubsetSelection(),
                    ldp.OLH(),
                    ldp.HRR(),
                    ldp.HadamardHashing(bits=3),
                ]
                * 2,
                [0.125, 0.0625, 0.0625, 0.125, 0.0, 0.125, 0.0625, 0.0625, 0.125, 0.125, 0.0625, 0.0625],
            ),
            [
                {"rooms": 1, "moved": "2026-01-01", "rent": 100.0, "pets": "none"},
                {"rooms": 3, "moved": "2026-01-04", "rent": 1234.5, "pets": "one"},
                {"rooms": 4, "moved": "2026-01-06", "rent": 6400.0, "pets": "more"},
            ],
        ),
        "two attributes of prime numbers of bins, trees with a leaf more, Hadamard hashing": (
            ldp.Plan(
                ldp.Domain.product(hour=ldp.Domain.integers(0, 10), year=ldp.Domain.integers(2010, 2022)),
                1.0,
                ldp.Grids.product([(2, 2, 3), (2, 7)]),
                ldp.HadamardHashing(bits=2),
            ),
            [{"hour": 0, "year": 2010}, {"hour": 10, "year": 2015}, {"hour": 6, "year": 2022}],
        ),
        "a pay, open above, and a region, or no answer on either, trees, HRR": (
            ldp.Plan(
                ldp.Domain.product(
                    pay=ldp.Domain.integers(0, 9, open_ends="high", no_answer=True),
                    region=ldp.Domain.categories(["north", "south"], no_answer=True),
                ),
                1.1,
                ldp.Tree(branching=2),
                ldp.HRR(),
            ),
            [
                {"pay": 0, "region": "north"},
                {"pay": 12, "region": "no answer"},
                {"pay": "no answer", "region": "south"},
                {"pay": "no answer", "region": "no answer"},
            ],
        ),
    }
