/** What ε means, in words that promise no more than holds. */

import { WEAKEST } from "./describe.js";

const GUESSABLE = 3; // above this ε a report allows a good guess
const MOST_TOLD = 1e6; // larger factors are all the same to people

/** @param {number} epsilon */
function factorOf(epsilon) {
  const factor = Math.exp(epsilon);
  const digits = factor < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumSignificantDigits: 2 };
  const told = factor > MOST_TOLD ? ", which is more than a million" : ` = ${new Intl.NumberFormat("en", digits).format(factor)}`;
  return `e^ε${told} (ε = ${epsilon})`;
}

/**
 * What leaves the device, in two sentences.
 *
 * @param {number} epsilon
 * @returns {[string, string]}
 */
export function promise(epsilon) {
  if (isWeak(epsilon)) {
    return [
      "Before anything is sent, you will see the report that this device makes of your answer.",
      "But this survey’s setting is so weak that the report can practically give your answer away: " +
        "send it only if you would send the answer itself.",
    ];
  }
  const guess = epsilon > GUESSABLE ? ", though it allows a good guess" : "";
  return [
    "Chance scrambles your answer on this device, and only the scrambled report is sent, after you have seen it.",
    `From that report nobody can be sure what you answered${guess}; only many reports together show how the answers are spread.`,
  ];
}

/** Whether the people who answer must be warned. */
export function isWeak(epsilon) {
  return epsilon > WEAKEST;
}

/** @param {number} epsilon */
export function odds(epsilon) {
  if (isWeak(epsilon)) {
    return (
      `How much can your report give away? In this survey there is practically no limit: chance changes too little to hide ` +
      `you. Seeing the report can change the odds that someone puts on your answer by a factor of up to ${factorOf(epsilon)}.`
    );
  }
  return (
    `How much can your report give away? Whatever odds someone puts on your answer, seeing the report changes them by ` +
    `at most a factor of ${factorOf(epsilon)}. That holds whoever looks, the people who ask included, and whatever else they know.`
  );
}
