/** How well an answer can be guessed from a report, at worst, and how much that is in words. */

const A_HINT = 0.75;
const MUCH = 0.9;

/**
 * Return how likely a guess between two answers is right, at worst, for somebody who has seen the report.
 *
 * Before, both answers were equally likely. No report makes one more than e^ε times as likely as the other.
 *
 * @param {number} epsilon
 */
export function chanceOfGuessing(epsilon) {
  return chanceAmong(epsilon, 0.5);
}

/**
 * Return how likely an answer is, at worst, among those that fit its report, for somebody to whom all were equally likely.
 *
 * @param {number} epsilon
 * @param {number} share of all answers, those that fit
 */
export function chanceAmong(epsilon, share) {
  return share / (share + (1 - share) * Math.exp(-epsilon));
}

/**
 * Say how much it tells if a guess is right with this chance.
 *
 * @param {number} chance
 * @returns {"little" | "a hint" | "much"}
 */
export function amountTold(chance) {
  if (chance > MUCH) {
    return "much";
  }
  return chance > A_HINT ? "a hint" : "little";
}
