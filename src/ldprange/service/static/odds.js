/** What ε means, in words that promise no more than holds. */

const STRONG = 20; // above this factor a report does tell a good deal

/** @param {number} epsilon */
export function factorOf(epsilon) {
  const factor = Math.exp(epsilon);
  const digits = factor < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumSignificantDigits: 2 };
  return new Intl.NumberFormat("en", digits).format(factor);
}

/**
 * What leaves the device, in two sentences.
 *
 * @param {number} epsilon
 */
export function promise(epsilon) {
  const hidden =
    Math.exp(epsilon) <= STRONG
      ? "so yours stays uncertain, while many reports together show how all answers are spread"
      : "so yours is blurred only a little, while many reports together show how all answers are spread";
  return (
    "Your answer stays on this device: it is scrambled here by chance, and only the scrambled report, which you see first, " +
    `is sent. Any other answer could have led to the same report, at most ${factorOf(epsilon)} times less often, ${hidden}.`
  );
}

/** @param {number} epsilon */
export function odds(epsilon) {
  return (
    `How much can your report give away? Whatever odds someone puts on your answer, seeing the report changes them by ` +
    `at most a factor of e^ε = ${factorOf(epsilon)} (ε = ${epsilon}). That holds whoever looks, the people who ask included, ` +
    `and whatever else they know.`
  );
}
