/** Randomised response over g symbols: the coin behind GRR, local hashing and Hadamard hashing. */

import { below, happens } from "./coins.js";
import { PlanError } from "./errors.js";
import { isLikelier, keepingThreshold } from "./thresholds.js";

export class SymbolResponse {
  #thresholds;

  constructor(symbols, e) {
    const thresholds = keepingThreshold(e, symbols);
    if (!isLikelier(thresholds, 1, symbols)) {
      throw new PlanError(
        `ε must be large enough for coins to favour the truth among ${symbols} symbols; ` +
          "raise ε, or choose an oracle with fewer symbols",
      );
    }
    this.symbols = symbols;
    this.#thresholds = thresholds;
  }

  /** Keep the symbol, or send one of the others. */
  encode(symbol, coins) {
    const truth = happens(coins, this.#thresholds);
    // a lie is made in any case, by the same steps, or the time it takes would tell whether one was sent
    const { spare } = coins;
    const other = below(truth ? spare : coins, this.symbols - 1);
    const lie = other + (other < symbol ? 0 : 1);
    return truth ? symbol : lie;
  }
}
