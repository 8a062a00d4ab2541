/**
 * Thresholds: how probabilities become whole numbers, the same in every language.
 *
 * An event of probability threshold/2^32 happens when a fresh word lies below the threshold. Everything is computed in
 * whole numbers of any length and rounded so that no likelihood ratio exceeds e^ε; floating point would do neither.
 */

/** The number of values of one word. */
export const WORDS = 2n ** 32n;

const LARGEST_EXPONENT = 64; // past this every threshold has long reached its extreme
const POINT = 400n; // binary places of the working precision, far beyond the digits that are kept
const DIGITS = 50;
const MARGIN = 10n ** 48n;

/**
 * Return a rational number just under e^epsilon as `[numerator, denominator]`.
 *
 * It is e^epsilon rounded to 50 decimal digits, less a part in 10^48: exactly the number that the collector's code has.
 */
export function exponentialFromBelow(epsilon) {
  const x = fixedPoint(Math.min(epsilon, LARGEST_EXPONENT));
  let sum = 0n;
  let term = 1n << POINT;
  for (let n = 1n; term > 0n; n += 1n) {
    sum += term;
    term = ((term * x) >> POINT) / n;
  }
  const decimals = BigInt(DIGITS - (sum >> POINT).toString().length);
  const scaled = sum * 10n ** decimals;
  const rounded = (scaled + (1n << (POINT - 1n))) >> POINT;
  return [rounded * (MARGIN - 1n), 10n ** decimals * MARGIN];
}

/** Return a double times 2^POINT, rounded down. */
function fixedPoint(number) {
  let whole = number;
  let places = 0n;
  while (!Number.isInteger(whole)) {
    whole *= 2; // exact, as for every power of two
    places += 1n;
  }
  return (BigInt(whole) << POINT) >> places;
}

/** Randomised response over g symbols keeps the symbol when a word is below ⌊2^32·e/(e + g − 1)⌋. */
export function keepingThreshold([numerator, denominator], symbols) {
  return (WORDS * numerator) / (numerator + BigInt(symbols - 1) * denominator);
}

/** Unary encoding sets the bit of a cell that is not held when a word is below ⌈2^32/(e + 1)⌉. */
export function unaryThreshold([numerator, denominator]) {
  const both = numerator + denominator;
  return (WORDS * denominator + both - 1n) / both;
}

/** A subset of k out of G cells holds the sender's own when a word is below ⌊2^32·ke/(ke + G − k)⌋. */
export function subsetThreshold([numerator, denominator], cells, size) {
  const weight = BigInt(size) * numerator;
  return (WORDS * weight) / (weight + BigInt(cells - size) * denominator);
}

/** The word's level is the number of these that it reaches; the last level has none, it takes what is left. */
export function levelThresholds(probabilities) {
  let upto = 0;
  return probabilities.slice(0, -1).map((probability) => {
    upto += probability;
    return Math.floor(upto * 2 ** 32);
  });
}
