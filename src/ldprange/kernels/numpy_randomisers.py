"""Randomising many people's items with seeded coins, in NumPy.

A block of people is worked on together. In each, every step draws a word for everyone, then another for those
whose word would favour some outcome, until there are none; so a compiled loop can follow step by step.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Words
from ldprange.support.parallel import slices

Number = TypeVar("Number", int, Words)

TOGETHER = 1 << 12
"""How many people are randomised together, unless their reports are long."""

_BLOCK_BITS = 1 << 22  # of sets chosen together
_LOWER = np.uint64((1 << 32) - 1)
_UPPER = np.uint64(32)
_SCATTER = (0x9E3779B1, 0x85EBCA6B)  # odd, so that multiplying by them permutes; their bits look random


def seeded_words(rng: np.random.Generator, count: int) -> Words:
    """Return words from a seeded generator: two from every 64 bits, which is its natural step."""
    return rng.integers(0, 1 << 64, (count + 1) // 2, dtype=np.uint64).view(np.uint32)[:count]


def happens(words: Words, rng: np.random.Generator, threshold: int, finer: int) -> NDArray[np.bool_]:
    """Say of each of ``words`` whether it is below ``threshold``; of one that is it, whether the next is.

    The next must be below ``finer``. It comes from ``rng``, unless ``finer`` is 0.
    """
    below: NDArray[np.bool_] = words < threshold
    if finer:
        tied = np.nonzero(words == threshold)
        below[tied] = seeded_words(rng, tied[0].size) < finer
    return below


def draw_below(rng: np.random.Generator, count: int, bound: int) -> Words:
    """Return ``count`` integers in ``[0, bound)``, all equally likely; ``bound`` is below 2**32.

    An integer is the upper half of word · bound. Some would have one word more than others, but for the
    words that are drawn again.
    """
    drawn, unfair = np.empty(count, np.uint32), np.uint64((1 << 32) % bound)
    for part in slices(count, TOGETHER):
        product = _products(rng, part.stop - part.start, bound)
        again = np.flatnonzero(product & _LOWER < unfair)
        while again.size:
            product[again] = _products(rng, again.size, bound)
            again = again[product[again] & _LOWER < unfair]
        drawn[part] = product >> _UPPER
    return drawn


def _products(rng: np.random.Generator, count: int, bound: int) -> NDArray[np.uint64]:
    return seeded_words(rng, count).astype(np.uint64) * np.uint64(bound)


def respond(symbols: Words, rng: np.random.Generator, number: int, threshold: int, finer: int = 0) -> Words:
    """Randomise symbols out of ``number``: unless it :func:`happens`, one of the others is sent."""
    sent = np.empty_like(symbols)
    for part in slices(symbols.size, TOGETHER):
        true = symbols[part]
        lies = ~happens(seeded_words(rng, true.size), rng, threshold, finer)
        if number == 2:
            sent[part] = true ^ lies
        else:
            other = draw_below(rng, true.size, number - 1)
            sent[part] = np.where(lies, other + (other >= true), true)
    return sent


def encode_contrast(
    items: Words, rng: np.random.Generator, pairs: int, threshold: int, finer: int = 0
) -> Words:
    """Randomise items by HRR on pairs: an index 2j + 1 is drawn, and 2j + ⟨index, item⟩ or its opposite sent.

    First come the words of all j, of which there is a power of two, then those that decide: it is a lie
    unless it :func:`happens`.
    """
    index = (seeded_words(rng, items.size) & np.uint32(pairs - 1)) << np.uint32(1)
    codes: Words = index | parity((index | np.uint32(1)) & items)
    return codes ^ ~happens(seeded_words(rng, items.size), rng, threshold, finer)


def encode_hadamard(
    items: Words, rng: np.random.Generator, bits: int, digits: int, threshold: int, finer: int = 0
) -> Words:
    """Randomise items by Hadamard hashing: each hashed by a random line's index, the symbol randomised.

    Indices have ``digits`` digits of ``bits`` bits; ``threshold`` and ``finer`` are those of the response.
    """
    codes, lines = np.empty(items.size, np.uint32), ((1 << bits * digits) - 1) // ((1 << bits) - 1)
    for part in slices(items.size, TOGETHER):
        held = hadamard_scatter(items[part], bits, digits)
        line = draw_below(rng, held.size, lines)
        symbols = hash_hadamard(hadamard_index(line, bits, digits), held, bits, lines)
        codes[part] = line << np.uint32(bits) | respond(symbols, rng, 1 << bits, threshold, finer)
    return codes


def encode_subset(
    items: Words, rng: np.random.Generator, cells: int, size: int, threshold: int, finer: int = 0
) -> NDArray[np.uint8]:
    """Randomise items by subset selection: a set of ``size`` cells a row, one bit each, lowest bit first.

    The item is put in if it :func:`happens`. Then as many others as are wanting are chosen by Floyd's
    algorithm, as numbers below ``cells`` − 1 in which the item stands for the last cell. Who has the item
    leaves out the first step, though not its word.
    """
    rows = np.empty((items.size, (cells + 7) // 8), np.uint8)
    for part in slices(items.size, subsets_together(cells)):
        held = items[part]
        each, chosen = np.arange(held.size), np.zeros((held.size, cells), bool)
        holds = happens(seeded_words(rng, held.size), rng, threshold, finer)
        chosen[each, draw_below(rng, held.size, cells - size)] = ~holds
        for last in range(cells - size, cells - 1):
            drawn = draw_below(rng, held.size, last + 1)
            chosen[each, np.where(chosen[each, drawn], last, drawn)] = True
        chosen[:, -1] = chosen[each, held]
        chosen[each, held] = holds
        rows[part] = np.packbits(chosen, axis=1, bitorder="little")
    return rows


def subsets_together(cells: int) -> int:
    """Return for how many people sets out of ``cells`` are chosen together."""
    return min(TOGETHER, max(64, _BLOCK_BITS // cells))


def hadamard_index(lines: Words, bits: int, digits: int) -> Words:
    """Return the index of each line: its highest digit, that of (g − 1) · line + 1, is 1 (see the oracle)."""
    lowest = np.uint32(((1 << bits * digits) - 1) // ((1 << bits) - 1))
    ones = lines * np.uint32((1 << bits) - 1) + np.uint32(1)  # then: as many as this has bits
    for shift in (1, 2, 4, 8, 16):
        ones |= ones >> np.uint32(shift)
    unit = lowest & ones & ~(ones >> np.uint32(bits))
    return lines - (lowest & (unit - np.uint32(1))) + unit


def hadamard_scatter(items: Number, bits: int, digits: int) -> Number:
    """Permute the numbers of ``digits`` digits by a fixed public rule that is far from linear over GF(2).

    Digits of one bit need no scattering.
    """
    if bits == 1:
        return items
    mask, half = (1 << bits * digits) - 1, (bits * digits + 1) // 2
    first, second = _SCATTER
    place: Any = ((items ^ (items >> half)) * first) & mask
    place = ((place ^ (place >> half)) * second) & mask
    scattered: Number = place ^ (place >> half)
    return scattered


def hash_hadamard(index: Words, items: Words, bits: int, lowest: int) -> Words:
    """Hash items by indices to ``bits`` bits, ⟨C^r index, item⟩ for every r (see the Hadamard oracle).

    C multiplies every digit by x modulo x^t + x + 1; ``lowest`` has the lowest bit of every digit.
    """
    symbols = np.zeros(np.broadcast_shapes(index.shape, items.shape), np.uint32)
    for r, power in enumerate(hadamard_powers(index, bits, lowest)):
        symbols |= parity(power & items).astype(np.uint32) << np.uint32(r)
    return symbols


def hash_to_symbol(line: int, item: int, bits: int, digits: int) -> int:
    """Hash one item by the index of one line: on a person's device an array of one would take far longer."""
    length = bits * digits
    lowest = ((1 << length) - 1) // ((1 << bits) - 1)
    unit = 1 << ((line * ((1 << bits) - 1) + 1).bit_length() - 1) // bits * bits
    power = line - (lowest & (unit - 1)) + unit
    place = hadamard_scatter(item, bits, digits)
    symbol = (power & place).bit_count() & 1
    for r in range(1, bits):
        carry = (power >> (bits - 1)) & lowest
        power = ((power ^ (carry << (bits - 1))) << 1) ^ (3 * carry)
        symbol |= ((power & place).bit_count() & 1) << r
    return symbol


def hadamard_powers(index: Words, bits: int, lowest: int) -> list[Words]:
    """Return C^r index for r = 0 … bits − 1."""
    powers, top = [index], np.uint32(bits - 1)
    for _ in range(1, bits):
        carry = (powers[-1] >> top) & np.uint32(lowest)
        kept = powers[-1] ^ (carry << top)
        powers.append((kept << np.uint32(1)) ^ carry ^ (carry << np.uint32(1)))
    return powers


def parity(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the sum modulo 2 of each word's bits."""
    return np.bitwise_count(words) & np.uint8(1)
