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
 * @returns {[string, string]}
 */
export function promise(epsilon) {
  const hidden = Math.exp(epsilon) <= STRONG ? "so yours stays uncertain" : "so yours is blurred, but only a little";
  return [
    "Your answer never leaves this device: chance scrambles it here, and only the scrambled report, which you will see first, is sent.",
    `Any other answer could have led to the same report, at most ${factorOf(epsilon)} times less often, ${hidden}; ` +
      "only many reports together show how the answers are spread.",
  ];
}

/** @param {number} epsilon */
export function odds(epsilon) {
  return (
    `How much can your report give away? Whatever odds someone puts on your answer, seeing the report changes them by ` +
    `at most a factor of e^ε = ${factorOf(epsilon)} (ε = ${epsilon}). That holds whoever looks, the people who ask included, ` +
    `and whatever else they know.`
  );
}
