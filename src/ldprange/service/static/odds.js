/** What ε means, in words that promise no more than holds. */

import { amountTold, chanceOfGuessing } from "./guessing.js";

const MOST_TOLD = 1e6; // larger factors are all the same to people
const SCRAMBLED = "Your answer is scrambled at random on this device, and only the scrambled report is sent.";

/** What a report tells, and for `much` what to think of before one sends it. */
const TOLD = {
  little: ["It tells little about you."],
  "a hint": ["It gives a hint of what you answered."],
  much: [
    "But this survey scrambles only a little: the report can give your answer away.",
    "Send it only if you’d be happy to tell your answer openly.",
  ],
};

/**
 * What leaves the device, and how well an answer can be guessed from it at worst.
 *
 * @param {number} epsilon
 * @returns {string[]} a paragraph each
 */
export function promise(epsilon) {
  const chance = chanceOfGuessing(epsilon);
  const percent = Math.round(100 * chance);
  const times = percent > 99 ? "more than 99" : `about ${percent}`;
  const [told, ...advice] = TOLD[amountTold(chance)];
  return [
    `${SCRAMBLED} ${told}`,
    "Suppose someone thinks that you gave one of two answers, each as likely as the other. " +
      `At worst, your report lets them guess right ${times} times in 100; without it, 50 times.`,
    ...advice,
  ];
}

/**
 * Whether the people who answer must be warned.
 *
 * @param {number} epsilon
 */
export function tellsMuch(epsilon) {
  return amountTold(chanceOfGuessing(epsilon)) === "much";
}

/**
 * The same as a factor, which holds whatever was likely before.
 *
 * @param {number} epsilon
 */
export function odds(epsilon) {
  const factor = Math.exp(epsilon);
  const digits = factor < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumSignificantDigits: 2 };
  const told = factor > MOST_TOLD ? ", which is more than a million" : ` = ${new Intl.NumberFormat("en", digits).format(factor)}`;
  return (
    "How much can your report give away? Whatever odds someone gives your answer, seeing the report changes them by " +
    `at most a factor of e^ε${told} (ε = ${epsilon}). That’s true for everyone, including the people who ask, and whatever else they know.`
  );
}
