/** The client: the only code that sees a true value. Its coins are the platform's cryptographic ones. */

import { checkAccepted } from "./acceptance.js";
import { SystemCoins } from "./coins.js";
import { readPlan } from "./plan.js";
import { pack } from "./wire.js";

export class Client {
  #plan;

  constructor(plan, options = {}) {
    this.#plan = readPlan(plan);
    checkAccepted(this.#plan, options);
    this.domain = this.#plan.domain;
    this.epsilon = this.#plan.epsilon;
    this.fingerprint = this.#plan.fingerprint;
    Object.freeze(this);
  }

  /** Return a report of the value, as bytes of a version of the wire, that reveals at most the plan's ε about it. */
  encode(value, { version = 1 } = {}) {
    return encodeWith(this.#plan, this.domain.index(value), new SystemCoins(), version);
  }
}

/** Encode a bin with given coins: what the published test vectors replay. Internal: a report must have fresh coins. */
export function encodeWith(plan, index, coins, version = 1) {
  const { levelThresholds, levels, mechanisms } = plan;
  const word = levelThresholds.length > 0 ? coins.word() : 0;
  const level = levelThresholds.filter((threshold) => threshold <= word).length;
  const item = levels[level].cell(index);
  return pack(plan, level, mechanisms[level].encode(item, coins), version);
}
