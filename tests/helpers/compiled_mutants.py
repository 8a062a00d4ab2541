"""Mutants of the compiled kernels: those that randomise, and those that turn sets into numbers and back.

None goes beyond an array: that is what ``scripts/sanitize`` looks for.
"""

from __future__ import annotations

from mutant import Mutant

_COINS = "src/compiled/coins.cpp"
_GENERATOR = "src/compiled/coins.hpp"
_LEVELS = "src/compiled/encode.cpp"
_HADAMARD = "src/compiled/hadamard.cpp"
_SUBSETS = "src/compiled/subsets.cpp"
_SETS = "src/compiled/sets.cpp"

COMPILED: tuple[Mutant, ...] = (
    Mutant(_COINS, "coins[i] < threshold ?", "coins[i] <= threshold ?", "one word too many keeps the truth"),
    Mutant(_COINS, "coins[i] >= threshold;", "coins[i] > threshold;", "one word too many keeps a bit"),
    Mutant(_COINS, "others[i] >= symbols[i]", "others[i] > symbols[i]", "a lie can be the truth"),
    Mutant(
        _COINS,
        "others.data(), here, number - 1);",
        "others.data(), here, number);",
        "a lie can be no symbol at all",
    ),
    Mutant(
        _COINS,
        "if (words[i] * bound < unfair) again",
        "if (words[i] * bound < unfair - 1) again",
        "some choices are likelier than others",
    ),
    Mutant(
        _COINS,
        "if (drawn[i] * bound < unfair) again[left++]",
        "if (false) again[left++]",
        "what is drawn again may be unfair",
    ),
    Mutant(
        _GENERATOR,
        "c = ((c << 24) | (c >> 40)) + drawn;",
        "c = ((c << 24) | (c >> 40)) + a;",
        "the generator takes a wrong step",
    ),
    Mutant(
        _GENERATOR,
        "words[at] = static_cast<std::uint32_t>(steps.next());",
        "words[at] = static_cast<std::uint32_t>(steps.next() >> 32);",
        "the last word is the wrong half",
    ),
    Mutant(_GENERATOR, "word ^= word >> 16;", "", "a parity leaves out the upper half"),
    Mutant(
        _LEVELS,
        "one ? kWords - thresholds[level] : 0",
        "one ? kWords - thresholds[level] - 1 : 0",
        "a level begins one word late",
    ),
    Mutant(
        _LEVELS,
        "std::upper_bound(first, last, word)",
        "std::lower_bound(first, last, word)",
        "of many levels, each begins one word late",
    ),
    Mutant(
        _LEVELS,
        "settled_ = settled_ && !(level + 1 < number && thresholds[level + 1] < beyond);",
        "",
        "of thresholds near each other one is passed over",
    ),
    Mutant(
        _LEVELS,
        "level_of(static_cast<std::uint32_t>(drawn >> 32))",
        "level_of(static_cast<std::uint32_t>(drawn))",
        "two people's level is decided by one word",
    ),
    Mutant(
        _LEVELS,
        "lie = coins[i] >= threshold;",
        "lie = coins[i] > threshold;",
        "contrasts: one word too many keeps the truth",
    ),
    Mutant(
        _LEVELS,
        "parity((index | 1) & items[i])",
        "parity(index & items[i])",
        "contrasts: a parity leaves out the last bit",
    ),
    Mutant(
        _LEVELS,
        "std::min(kChunk, count - at), pairs - 1, threshold",
        "std::min(kChunk, count - at), pairs / 2, threshold",
        "contrasts: few lines are ever chosen",
    ),
    Mutant(_HADAMARD, "^ carry ^ (carry << 1);", "^ carry;", "hashes multiply in no field"),
    Mutant(
        _HADAMARD,
        "symbol |= parity(power & place) << r;",
        "symbol |= parity(power & item) << r;",
        "one person's item is scattered for its first bit only",
    ),
    Mutant(
        _HADAMARD,
        "codes[i] |= lines[i] << bits;",
        "codes[i] |= lines[i] << (bits + 1);",
        "the line is sent one bit too high",
    ),
    Mutant(
        _HADAMARD,
        "line - (lowest & (unit - 1)) + unit;",
        "line - (lowest & (unit - 1)) + 2 * unit;",
        "a line has the wrong index",
    ),
    Mutant(
        _HADAMARD,
        "respond(generator, codes + at, here, 1u << bits, threshold);",
        "",
        "the symbol is sent as it is",
    ),
    Mutant(
        _SUBSETS,
        "lacks = coins[i] >= threshold;",
        "lacks = coins[i] > threshold;",
        "a set has a cell too few for one word",
    ),
    Mutant(
        _SUBSETS,
        "holds = coins[i] < threshold;",
        "holds = coins[i] <= threshold;",
        "one word too many keeps the own cell",
    ),
    Mutant(
        _SUBSETS,
        "draw_below(generator, drawn.data(), count, last + 1);",
        "draw_below(generator, drawn.data(), count, last);",
        "the last cell is never drawn",
    ),
    Mutant(_SUBSETS, "(last & (0 - stood));", "0;", "the cell that the own one stood for is lost"),
    Mutant(
        _SUBSETS,
        "rows[at + 8] = static_cast<std::uint8_t>(beyond[i]);",
        "rows[at + 8] = 0;",
        "the 65th cell is never in a set",
    ),
    Mutant(
        _SUBSETS,
        "put(row, items[i], coins[i] < threshold);",
        "put(row, items[i], true);",
        "every set of many cells holds the item",
    ),
    Mutant(_SETS, "(term <= left[i])", "(term < left[i])", "a set is off where its rank is a whole term"),
    Mutant(
        _SETS,
        "cell = 8 * byte + lowest(word);",
        "cell = byte + lowest(word);",
        "cells beyond the 64th are taken for others",
    ),
    Mutant(_SETS, "cell & 7);", "(cell + 1) & 7);", "a set has each cell's neighbour"),
)
