/** What a report can look like, for people who have not answered yet. */

import { encodeWith } from "./client.js";
import { below, SystemCoins } from "./coins.js";
import { readPlan } from "./plan.js";

/** Return a report of a value that chance picks out of the domain. It has nothing to do with anybody's answer. */
export function exampleReport(description) {
  const plan = readPlan(description);
  const coins = new SystemCoins();
  const { bins, axes } = plan.domain;
  const index = axes ? axes.map((axis) => below(coins, axis.bins)) : below(coins, bins);
  return encodeWith(plan, index, coins);
}
