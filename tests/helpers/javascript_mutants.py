"""Mutants of the JavaScript client."""

from __future__ import annotations

from mutant import Mutant

_JAVASCRIPT = "clients/javascript/"
JAVASCRIPT: tuple[Mutant, ...] = (
    Mutant(
        _JAVASCRIPT + "coins.js",
        ": word < threshold;",
        ": word <= threshold;",
        "one word too many keeps the truth",
    ),
    Mutant(
        _JAVASCRIPT + "coins.js", "coins.word() < finer", "word < finer", "the second word is the first again"
    ),
    Mutant(
        _JAVASCRIPT + "coins.js",
        "if (drawn < bound)",
        "if (drawn <= bound)",
        "a choice goes one beyond its end",
    ),
    Mutant(
        _JAVASCRIPT + "coins.js",
        "      globalThis.crypto.getRandomValues(this.#pool);\n      this.#at = 0;",
        "      this.#at = 0;",
        "coins are all 0",
    ),
    Mutant(
        _JAVASCRIPT + "coins.js",
        "    this.#at += 1;\n    return word;",
        "    return word;",
        "one coin decides everything",
    ),
    Mutant(
        _JAVASCRIPT + "thresholds.js",
        "const coarse = (WORDS * part + more) / whole;",
        "const coarse = (WORDS * part + more) / whole + 1n;",
        "thresholds are one too large",
    ),
    Mutant(
        _JAVASCRIPT + "thresholds.js",
        "const coarse = (WORDS * part + more) / whole;",
        "const coarse = BigInt(Math.round(2 ** 32 * (Number(part) / Number(whole))));",
        "thresholds are rounded in floating point",
    ),
    Mutant(
        _JAVASCRIPT + "thresholds.js",
        "rounded * (MARGIN - 1n)",
        "rounded * (MARGIN + MARGIN / 1000000n)",
        "e^ε is a little too large",
    ),
    Mutant(
        _JAVASCRIPT + "thresholds.js",
        "BigInt(symbols - 1) * denominator);",
        "BigInt(symbols - 2) * denominator);",
        "p is too large",
    ),
    Mutant(
        _JAVASCRIPT + "thresholds.js",
        "return thresholdsOf(denominator, both, both - 1n);",
        "return thresholdsOf(denominator, both);",
        "a threshold is rounded away from privacy",
    ),
    Mutant(
        _JAVASCRIPT + "randomized_response.js",
        "other < symbol ? 0 : 1",
        "other <= symbol ? 0 : 1",
        "a lie can be the truth",
    ),
    Mutant(
        _JAVASCRIPT + "randomized_response.js",
        "return truth ? symbol",
        "return symbol >= 0 ? symbol",
        "every answer is the truth",
    ),
    Mutant(
        _JAVASCRIPT + "oracles.js",
        "word < (cell === item ? held : other)",
        "word < (cell === item + 1 ? held : other)",
        "the neighbour's bit is taken for the held one",
    ),
    Mutant(
        _JAVASCRIPT + "oracles.js",
        "word < (cell === item ? held : other)",
        "word <= (cell === item ? held : other)",
        "one word too many sets a bit",
    ),
    Mutant(
        _JAVASCRIPT + "oracles.js",
        "const held = 2 ** 31;",
        "const held = 2 ** 31 + 1;",
        "the held bit is set too often",
    ),
    Mutant(
        _JAVASCRIPT + "oracles.js",
        "bits[item] = Number(holds);\n      return",
        "bits[item] = 1;\n      return",
        "every set holds the item",
    ),
    Mutant(
        _JAVASCRIPT + "oracles.js",
        "+ shift) / shifts);",
        "+ 0) / shifts);",
        "the shift that is sent is not used",
    ),
    Mutant(
        _JAVASCRIPT + "hadamard.js",
        "const line = below(coins, lines);",
        "const line = item % lines;",
        "the line is chosen by the value",
    ),
    Mutant(
        _JAVASCRIPT + "hadamard.js",
        "response.encode(parity((2 * pair + 1) & item), coins)",
        "response.encode(parity((2 * pair) & item), coins)",
        "a parity leaves out the last bit",
    ),
    Mutant(
        _JAVASCRIPT + "hadamard.js",
        "while (first + power <= line)",
        "while (first + power < line)",
        "a line has its neighbour's index",
    ),
    Mutant(
        _JAVASCRIPT + "local_hashing.js",
        "[below(coins, prime), below(coins, prime), below(coins, prime)]",
        "Array(3).fill(below(coins, prime))",
        "one coin chooses the whole hash",
    ),
    Mutant(
        _JAVASCRIPT + "client.js", "threshold <= word)", "threshold < word)", "a level begins one word late"
    ),
    Mutant(
        _JAVASCRIPT + "client.js",
        "levels[level].cell(index)",
        "levels[level].cell(index) ^ 1",
        "the neighbouring cell is reported",
    ),
    Mutant(_JAVASCRIPT + "client.js", "checkAccepted(this.#plan, options);", "", "any plan is accepted"),
    Mutant(
        _JAVASCRIPT + "wire.js",
        "bytes.set([version, ...digits, level, 1]);",
        "bytes.set([version, ...digits, level, 2]);",
        "one report says that it is two",
    ),
    Mutant(
        _JAVASCRIPT + "extended_domains.js",
        "(value) => Number(value === null)",
        "(value) => Number(!value)",
        "what is 0, or not there, counts as no answer",
    ),
)
