/** Randomised response over g symbols: the coin behind GRR, local hashing and Hadamard hashing. */

import { below } from "./coins.js";
import { PlanError } from "./errors.js";
import { keepingThreshold, WORDS } from "./thresholds.js";

export class SymbolResponse {
  #threshold;

  constructor(symbols, e) {
    const threshold = keepingThreshold(e, symbols);
    if (threshold * BigInt(symbols) <= WORDS) {
      throw new PlanError(
        `ε must be large enough for 32-bit coins to favour the truth among ${symbols} symbols; ` +
          "raise ε, or choose an oracle with fewer symbols",
      );
    }
    this.symbols = symbols;
    this.#threshold = Number(threshold);
  }

  /** Keep the symbol, or send one of the others. */
  encode(symbol, coins) {
    if (coins.word() < this.#threshold) {
      return symbol;
    }
    const other = below(coins, this.symbols - 1);
    return other < symbol ? other : other + 1;
  }
}
