"""Mutants of the Python client and of the randomisers of rehearsals."""

from __future__ import annotations

from mutant import Mutant

_RESPONSE = "src/ldprange/oracles/randomized_response.py"
_UNARY = "src/ldprange/oracles/unary_encoding.py"
_HASHING = "src/ldprange/oracles/local_hashing.py"
_HADAMARD = "src/ldprange/oracles/hadamard.py"
_SUBSET = "src/ldprange/oracles/subset_selection.py"
_SHIFTED = "src/ldprange/oracles/shifted.py"
_COINS = "src/ldprange/randomness.py"
_CLIENT = "src/ldprange/client/encoding.py"
_LEDGER = "src/ldprange/client/ledger.py"
_PLAN = "src/ldprange/plan.py"
_WIRE = "src/ldprange/wire.py"
_KERNELS = "src/ldprange/kernels/numpy_randomisers.py"
_LABELLED = "src/ldprange/learning/client.py"

PYTHON: tuple[Mutant, ...] = (
    Mutant(
        _COINS, "return word < threshold", "return word <= threshold", "one word too many keeps the truth"
    ),
    Mutant(
        _COINS,
        "coarse = rounded(chance * WORDS)",
        "coarse = rounded(chance * WORDS) + 1",
        "thresholds are one too large",
    ),
    Mutant(
        _COINS,
        "coarse = rounded(chance * WORDS)",
        "coarse = round(float(chance) * WORDS)",
        "thresholds are rounded in floating point, to either side",
    ),
    Mutant(
        _COINS,
        "rounded: Callable[[Fraction], int] = floor",
        "rounded: Callable[[Fraction], int] = lambda exact: floor(exact) + 1",
        "thresholds are rounded away from privacy",
    ),
    Mutant(_COINS, "* (1 - Fraction(1, 10**48))", "* (1 + Fraction(1, 10**6))", "e^ε is a little too large"),
    Mutant(
        _COINS, "return coins.word() < finer", "return word < finer", "the second word is the first again"
    ),
    Mutant(_COINS, ">= bound:", "> bound:", "a choice goes one beyond its end"),
    Mutant(
        _COINS,
        "while (drawn := word() >> shift) >= bound:\n        pass\n    return drawn",
        "return word() % bound",
        "some choices are likelier than others",
    ),
    Mutant(
        _COINS,
        "return _POOL.unpack(os.urandom(_POOL.size))",
        "return tuple(np.random.default_rng(7).integers(0, WORDS, 16).tolist())",
        "coins come from a seed",
    ),
    Mutant(
        _COINS,
        "iter(_read_pool, ())",
        "iter(lambda first=_read_pool(): first, ())",
        "coins are read once and then repeat",
    ),
    Mutant(
        _COINS,
        'np.frombuffer(os.urandom(4 * count), dtype="<u4")',
        'np.resize(np.frombuffer(os.urandom(4), dtype="<u4"), count)',
        "all cells share one coin",
    ),
    Mutant(
        _COINS,
        "WORD_BITS - (bound - 1).bit_length()",
        "WORD_BITS + 1 - (bound - 1).bit_length()",
        "a choice lacks a bit",
    ),
    Mutant(
        _RESPONSE,
        "thresholds_of(e / (e + symbols - 1))",
        "thresholds_of(e / (e + symbols - 2))",
        "p is too large",
    ),
    Mutant(
        _RESPONSE,
        "return (other + (other >= symbol), symbol)[truth]",
        "return (other + (other > symbol), symbol)[truth]",
        "a lie can be the truth",
    ),
    Mutant(
        _RESPONSE,
        "return (other + (other >= symbol), symbol)[truth]",
        "return symbol",
        "every answer is the truth",
    ),
    Mutant(
        _RESPONSE,
        "other = below((coins, coins.spare)[truth], self.symbols - 1)",
        "other = below((coins, coins.spare)[truth], self.symbols)",
        "a lie can be no symbol at all",
    ),
    Mutant(
        _UNARY,
        "bits = words < self._threshold",
        "bits = words <= self._threshold",
        "one word too many sets a bit",
    ),
    Mutant(_UNARY, "_HELD = WORDS // 2", "_HELD = WORDS // 2 + 1", "the held bit is set too often"),
    Mutant(
        _UNARY,
        "bits[item] = words[item] < _HELD",
        "bits[item] = words[item - 1] < _HELD",
        "the held bit uses its neighbour's coin",
    ),
    Mutant(_UNARY, "bits[item] = words[item] < _HELD", "bits[item] = True", "the held bit is always set"),
    Mutant(
        _HASHING,
        "a0, a1, a2 = (below(coins, self._prime) for _ in range(3))",
        "a0 = a1 = a2 = below(coins, self._prime)",
        "one coin chooses the whole hash",
    ),
    Mutant(
        _HASHING,
        "self._hash_one(a0, a1, a2, item)\n        fields",
        "item % 2\n        fields",
        "the hash is not used",
    ),
    Mutant(
        _HASHING,
        "(a2 * item + a1) * item + a0)",
        "(a1 * item + a2) * item + a0)",
        "coefficients change places",
    ),
    Mutant(
        _HASHING,
        "fields = (a0, a1, a2, ",
        "fields = (a0, a1, item % self._prime, ",
        "the value is sent as a coefficient",
    ),
    Mutant(
        _HADAMARD,
        "code = (line << self._bits) + self._response.encode(symbol, coins)",
        "code = (line << self._bits) + symbol",
        "the symbol is sent as it is",
    ),
    Mutant(
        _HADAMARD,
        "line = below(coins, self._lines)",
        "line = item % self._lines",
        "the line is chosen by the value",
    ),
    Mutant(
        _HADAMARD, "bit = ((index | 1) & item)", "bit = (index & item)", "a parity leaves out the last bit"
    ),
    Mutant(_SUBSET, "> last:  #", ">= last:  #", "the last cell is never drawn"),
    Mutant(
        _SUBSET,
        "self.cells - self.size)\n        others",
        "self.cells - self.size - 1)\n        others",
        "a cell is never drawn first",
    ),
    Mutant(_SUBSET, "holds << item", "1 << item", "every set holds the item"),
    Mutant(
        _SUBSET, "& ((1 << item) - 1)", "& ((2 << item) - 1)", "the others move up from one cell too late"
    ),
    Mutant(_SHIFTED, ">= shifts:  #", "> shifts:  #", "a shift goes one beyond its end"),
    Mutant(
        _SHIFTED, "(place + shift) // shifts\n", "place // shifts\n", "the shift that is sent is not used"
    ),
    Mutant(
        _SHIFTED,
        "return shift.to_bytes(",
        "return (item % shifts).to_bytes(",
        "the shift that is sent is the value's",
    ),
    Mutant(
        _CLIENT,
        "bisect_right(client._thresholds, coins",
        "bisect_right(client._thresholds, -1 + coins",
        "a level begins one word late",
    ),
    Mutant(
        _CLIENT,
        "level = bisect_right(client._thresholds, coins.word()) if",
        "level = (coins.word() and 0) + sum(index > each for each in range(len(client._thresholds))) if",
        "the level is chosen by the value",
    ),
    Mutant(_CLIENT, ".cell(index), coins)", ".cell(index) ^ 1, coins)", "the neighbouring cell is reported"),
    Mutant(
        _CLIENT,
        "return Report(plan.fingerprint, level, payload)",
        "return Report(plan.fingerprint, level, payload + bytes(level and index == 0))",
        "the length depends on the value",
    ),
    Mutant(_CLIENT, "check_accepted(plan, max_epsilon, fingerprint)", "pass", "any plan is accepted"),
    Mutant(_LEDGER, "> left:", "> left + Fraction(1, 10**9):", "the budget can be exceeded a little"),
    Mutant(
        _LEDGER,
        "row = (*key, plan.epsilon,",
        "row = (*key, plan.epsilon / 2,",
        "half of what was spent is written down",
    ),
    Mutant(
        _PLAN,
        "np.cumsum(self.probabilities[:-1]) * WORDS",
        "np.cumsum(self.probabilities[1:]) * WORDS",
        "levels have each other's probabilities",
    ),
    Mutant(_WIRE, "bytes([reports.level, 1])", "bytes([reports.level, 2])", "one report says that it is two"),
    Mutant(
        _KERNELS,
        "= words < threshold",
        "= words <= threshold",
        "rehearsed: one word too many keeps the truth",
    ),
    Mutant(
        _KERNELS,
        "other + (other >= true), true)",
        "other + (other > true), true)",
        "rehearsed: a lie can be the truth",
    ),
    Mutant(
        _KERNELS,
        "(index | np.uint32(1)) & items)",
        "index & items)",
        "rehearsed: a parity leaves out the last bit",
    ),
    Mutant(
        _KERNELS,
        "symbols = hash_hadamard(hadamard_index(line, bits, digits)",
        "symbols = hash_hadamard(line",
        "rehearsed: a line's number is taken for its index",
    ),
    Mutant(
        _KERNELS,
        "chosen[each, held] = holds",
        "chosen[each, held] |= holds",
        "rehearsed: sets have one cell too many",
    ),
    Mutant(
        _LABELLED,
        "chosen = [below(coins, count)]",
        "chosen = [indices[0] % count]",
        "the attribute asked is chosen by the value",
    ),
)
