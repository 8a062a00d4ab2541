/** Coins: where a client's randomness comes from. Encoding is a pure function of a value and a stream of words. */

import { LdprangeError } from "./errors.js";

const WORDS_PER_READ = 64;

/**
 * Uniform 32-bit words from the platform's cryptographic generator, read a few at a time.
 *
 * Made anew for each encoding, so that no two reports can ever share a coin.
 */
export class SystemCoins {
  #pool = new Uint32Array(WORDS_PER_READ);
  #at = WORDS_PER_READ;

  constructor() {
    if (typeof globalThis.crypto?.getRandomValues !== "function") {
      throw new LdprangeError(
        "coins must come from crypto.getRandomValues, which is not here; use a browser or Node 20, " +
          "or in Node 18 set globalThis.crypto to the webcrypto of node:crypto",
      );
    }
  }

  /** Return the next word. */
  word() {
    if (this.#at === WORDS_PER_READ) {
      globalThis.crypto.getRandomValues(this.#pool);
      this.#at = 0;
    }
    const word = this.#pool[this.#at];
    this.#at += 1;
    return word;
  }

  /**
   * Coins that decide nothing, for a branch that needs none, so that it takes as long as one that does: the same, there are enough.
   *
   * Else the time that an encoding takes would tell the truth from a lie.
   */
  get spare() {
    return this;
  }
}

/** Return how many bits a whole number below 2^32 has; 0 has none. */
export function bitLength(number) {
  return 32 - Math.clz32(number);
}

/** Say whether an event happens: a word is below `threshold`, or is it and the next is below `finer`. */
export function happens(coins, [threshold, finer]) {
  const word = coins.word();
  return word === threshold && finer > 0 ? coins.word() < finer : word < threshold;
}

/**
 * Return a uniform whole number below `bound` ≤ 2^32, exactly: a word that would favour some is drawn again.
 *
 * A bound of 1 takes no coin.
 */
export function below(coins, bound) {
  const bits = bitLength(bound - 1);
  if (bits === 0) {
    return 0;
  }
  for (;;) {
    const drawn = coins.word() >>> (32 - bits);
    if (drawn < bound) {
      return drawn;
    }
  }
}
