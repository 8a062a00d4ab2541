"""Slips in the section on frequency oracles. All checks are exact, in fractions, at e^ε = 3."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import ldprange as ldp
from experiments.errata.erratum import Erratum, holds
from experiments.methods import named_in_paper, plan_of
from experiments.noise_alone import noise_alone
from experiments.paper import PREFIXES, RANGES, printed

_E = Fraction(3)
_HALF = Fraction(1, 2)
_USERS = 1 << 26


def _moments(outcomes: Iterable[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Return mean and variance of a value, from its probabilities and values."""
    first = second = Fraction(0)
    for probability, value in outcomes:
        first += probability * value
        second += probability * value * value
    return first, second - first * first


def _sign(row: int, column: int) -> int:
    """Return an entry of the Hadamard matrix, without its scale."""
    return 1 - 2 * ((row & column).bit_count() % 2)


def _hadamard_variance() -> str:
    """Go through all holders, indices and answers of one report about an item nobody holds."""
    bins, shares, unheld = 4, (_HALF, Fraction(1, 4), Fraction(1, 4), Fraction(0)), 3
    p = _E / (_E + 1)
    mean, variance = _moments(
        (
            shares[held] / bins * (p if truthful else 1 - p),
            _sign(unheld, index) * _sign(held, index) * (1 if truthful else -1) / (2 * p - 1),
        )
        for held, index, truthful in product(range(bins), range(bins), (True, False))
    )
    holds(mean == 0, "the estimate is unbiased")
    holds(variance == ((_E + 1) / (_E - 1)) ** 2 == 4, "the variance is ((e + 1)/(e − 1))²")
    holds(4 * p * (1 - p) / (2 * p - 1) ** 2 == 3, "the printed variance is 3")
    ours, theirs = [], []
    for figure in (RANGES, PREFIXES):
        for cell in printed(figure):
            if cell.method == "HaarHRR" and cell.bins == 256 and cell.epsilon >= 1:
                plan = plan_of(named_in_paper(cell.method), cell.bins, cell.epsilon)
                exact = noise_alone(plan, _USERS)
                error = 1000 * (exact.range_rmse if figure == RANGES else exact.prefix_rmse)
                e = math.exp(cell.epsilon)
                ours.append(cell.value / error)
                theirs.append(cell.value / (error * 2 * math.sqrt(e) / (e + 1)))
    ratio, ratio_as_printed = sum(ours) / len(ours), sum(theirs) / len(theirs)
    holds(abs(ratio - 1) < 0.03 and ratio_as_printed > 1.12, "the paper's HaarHRR numbers show the larger")
    return (
        f"N·variance {variance}, printed 3, at e = 3; the paper's own HaarHRR errors at D = 2^8, ε ≥ 1, "
        f"are {ratio:.2f} of what the first gives and {ratio_as_printed:.2f} of what the second does"
    )


def _unary_aggregation() -> str:
    """Take the expected estimate of an item that one user of four holds."""
    users, share = 4, Fraction(1, 4)
    p, q = _HALF, 1 / (_E + 1)
    expected_ones = share * p + (1 - share) * q
    as_printed = (expected_ones + users / (_E + 1)) / (p - q)
    corrected = (expected_ones - q) / (p - q)
    holds(corrected == share != as_printed, "only the corrected formula is unbiased")
    return f"share {share} is estimated as {as_printed} on average as printed, {corrected} as corrected"


def _hashed_response() -> str:
    """Compare the chance of a symbol from whoever has it with that from whoever has another."""
    symbols = 4
    p = _E / (_E + symbols - 1)
    from_all, from_others = (1 - p) / symbols, (1 - p) / (symbols - 1)
    as_printed, corrected = (p + from_all) / from_all, p / from_others
    holds(as_printed == 1 + symbols * _E / (symbols - 1) == 5, "the ratio as printed is 1 + g·e/(g − 1)")
    holds(corrected == _E, "the ratio as corrected is e")
    users, share = 100, Fraction(1, 4)
    support = users * (share * p + (1 - share) / symbols)
    undivided = (support - Fraction(users, symbols)) / (p - Fraction(1, symbols))
    holds(undivided == users * share, "the estimate as printed is a count")
    return (
        f"likelihood ratio {float(as_printed):.2f} as printed, {float(corrected):.2f} as corrected, at g "
        f"= 4, e = 3; 100 users of whom 25 hold the item give {undivided}, not 1/4"
    )


def _hadamard_matrix() -> str:
    """Hold the printed last row against the others, and against the definition."""
    as_printed = (1, -1, -1, -1, -1, 1, 1, -1)
    corrected = tuple(_sign(7, column) for column in range(8))
    rows = [[_sign(row, column) for column in range(8)] for row in range(7)]
    products = [sum(a * b for a, b in zip(as_printed, row, strict=True)) for row in rows]
    orthogonal = all(sum(a * b for a, b in zip(corrected, row, strict=True)) == 0 for row in rows)
    wrong = [place for place in range(8) if as_printed[place] != corrected[place]]
    holds(orthogonal and 0 not in products, "only the corrected row is orthogonal to the others")
    holds(wrong == [3], "one sign is wrong")
    return f"the printed row's products with the other seven are {products}; its fourth sign is wrong"


def _unary_variance() -> str:
    """Add up those who hold the item and those who do not, each by their own variance."""
    share, p, q = Fraction(1, 4), _HALF, 1 / (_E + 1)
    unit = (p - q) ** 2
    variance = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / unit
    unheld = q * (1 - q) / unit
    holds(unheld == 4 * _E / (_E - 1) ** 2, "4e/(e − 1)² is the variance of an item nobody holds")
    holds(variance == unheld + share, "the variance of an item with share θ is larger by θ")
    noise = ldp.OUE().on(cells=4, epsilon=math.log(3)).noise
    theta = float(share)
    ours = noise.spread + noise.occupied * theta - theta**2 - theta * (1 - theta)  # less the population's own
    holds(abs(ours - variance) < 1e-6, "the library's OUE has the same variance")
    return f"N·variance {unheld} where nobody holds the item, {variance} where a quarter does, at e = 3"


def _hadamard_scale() -> str:
    """Divide the expected sum of one coefficient's reports, scaled as printed, by the coefficient."""
    users, bins, index = 1000, 4, 1
    shares = (_HALF, Fraction(1, 4), Fraction(1, 8), Fraction(1, 8))
    p = _E / (_E + 1)
    unscaled = sum(share * _sign(held, index) for held, share in enumerate(shares))  # c_j·√D
    expected_sum = users * sum(
        share / bins * (p * _sign(held, index) - (1 - p) * _sign(held, index))
        for held, share in enumerate(shares)
    )
    factor = expected_sum / (2 * p - 1) / unscaled
    holds(factor == Fraction(users, bins), "the printed estimate is N/D times the coefficient")
    return f"the printed estimate is {factor} times the coefficient on average, at N = 1000 and D = 4"


def _hashing_variance() -> str:
    """Take local hashing at its best number of symbols, g = e + 1."""
    symbols = _E + 1
    p, q = _E / (_E + symbols - 1), 1 / symbols
    holds(p == _HALF, "p is 1/2 at g = e + 1, so that 4p(1 − p)/(2p − 1)² divides by 0")
    variance = q * (1 - q) / (p - q) ** 2
    holds(variance == 4 * _E / (_E - 1) ** 2, "the variance is 4e/(e − 1)²")
    return f"at e = 3, g = 4: p = {p}, so (2p − 1)² = 0, while N·variance = {variance}"


def _universal_hashing() -> str:
    """Hash two items one to one into two symbols: without collisions, which the definition allows."""
    symbols = 2
    p = _E / (_E + symbols - 1)
    never, rightly = 1 - p, Fraction(1, symbols)  # the chance that another's report supports the item
    estimates = [(chance - Fraction(1, symbols)) / (p - Fraction(1, symbols)) for chance in (never, rightly)]
    holds(estimates == [-1, 0], "only collisions of probability 1/g leave the estimate unbiased")
    return f"an item nobody holds is estimated as {estimates[0]} on average by a one-to-one hash, g = 2"


ORACLES = (
    Erratum(
        3,
        "Section 'Point Queries and Frequency Oracles', HRR, variance",
        "V_F = 4e/(N(e − 1)²), as of OUE: the variance of one report given which coefficient it is about.",
        "V_F = ((e + 1)/(e − 1))²/N. Which coefficient is asked, of whom, varies too; for weights w over "
        "the items the variance is (Σw²·((e + 1)/(e − 1))² − (Σwθ)²)/N. The printed value is right only "
        "where all users hold one item and equally many report on each coefficient. So the three oracles "
        "do not share one V_F, as the evaluation says they do.",
        _hadamard_variance,
    ),
    Erratum(
        4,
        "Section 'Point Queries and Frequency Oracles', OUE, aggregation",
        "(count/N + N/(e + 1))/(1/2 − 1/(e + 1)).",
        "(count/N − 1/(e + 1))/(1/2 − 1/(e + 1)).",
        _unary_aggregation,
    ),
    Erratum(
        5,
        "Section 'Point Queries and Frequency Oracles', OLH, perturbation and aggregation",
        "With p = e/(e + g − 1) the true symbol, else one uniform over all g symbols; the estimate is (T "
        "− N/g)/(p − 1/g).",
        "Else one of the other g − 1 symbols: as printed the guarantee e is broken, the ratio being 1 + "
        "g·e/(g − 1). And the estimate must be divided by N to be a share.",
        _hashed_response,
    ),
    Erratum(
        7,
        "Figure with the Hadamard matrix for D = 8, last row",
        "1 −1 −1 −1 −1 1 1 −1.",
        "1 −1 −1 1 −1 1 1 −1.",
        _hadamard_matrix,
    ),
    Erratum(
        11,
        "Section 'Point Queries and Frequency Oracles', OUE, variance",
        "V_F = 4e/(N(e − 1)²), one value for all items.",
        "That is the variance of an item nobody holds; of one with share θ it is V_F + θ/N, which "
        "matters on coarse levels of a tree. The flat method's rV_F for a range is larger by the range's "
        "share over N.",
        _unary_variance,
    ),
    Erratum(
        12,
        "Section 'Point Queries and Frequency Oracles', HRR, aggregation",
        "The sum O_j of coefficient j's reports, over √D(2p − 1), is an unbiased estimate of it.",
        "It lacks the factor D/N: only about N/D users report on coefficient j.",
        _hadamard_scale,
    ),
    Erratum(
        13,
        "Section 'Point Queries and Frequency Oracles', OLH, variance",
        "V_F = 4p(1 − p)/(N(2p − 1)²) = 4e/(N(e − 1)²) at g = e + 1.",
        "Only the second: at g = e + 1 OLH's p is 1/2, and the first is infinite. (It is right for "
        "binary randomised response, with p = e/(e + 1).)",
        _hashing_variance,
    ),
    Erratum(
        21,
        "Section 'Point Queries and Frequency Oracles', OLH, footnote on universal hashing",
        "Two items may collide with probability at most 1/g.",
        "For the estimate to be unbiased they must collide with probability exactly 1/g: its correction "
        "takes N/g off for everybody else's reports.",
        _universal_hashing,
    ),
)
