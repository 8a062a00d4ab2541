/**
 * Thresholds: how probabilities become whole numbers, the same in every language.
 *
 * An event of probability threshold/2^32 happens when a fresh word lies below the threshold. Everything is computed in
 * whole numbers of any length and rounded so that no likelihood ratio exceeds e^ε; floating point would do neither.
 *
 * A threshold is `[threshold, finer]`: a word that equals the first is decided by the next, which must be below the second. That is 0,
 * and no word is taken, where one word changes the odds by at most a part in 10^6. So it is but for a large ε, or very many symbols.
 */

/** The number of values of one word. */
export const WORDS = 2n ** 32n;

const LARGEST_EXPONENT = 64; // past this every threshold has long reached its extreme
const POINT = 400n; // binary places of the working precision, far beyond the digits that are kept
const DIGITS = 50;
const MARGIN = 10n ** 48n;
const COARSE = 10n ** 6n; // a change of odds by one part in so many, from which on one word is too coarse

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

/** Randomised response over g symbols keeps the symbol with a chance of e/(e + g − 1), rounded down. */
export function keepingThreshold([numerator, denominator], symbols) {
  return thresholdsOf(numerator, numerator + BigInt(symbols - 1) * denominator);
}

/** Unary encoding sets the bit of a cell that is not held with a chance of 1/(e + 1), rounded up. */
export function unaryThreshold([numerator, denominator]) {
  const both = numerator + denominator;
  return thresholdsOf(denominator, both, both - 1n);
}

/** A subset of k out of G cells holds the sender's own with a chance of ke/(ke + G − k), rounded down. */
export function subsetThreshold([numerator, denominator], cells, size) {
  const weight = BigInt(size) * numerator;
  return thresholdsOf(weight, weight + BigInt(cells - size) * denominator);
}

/** Say whether an event is likelier than a part of a whole: of 2 in 5, say, `isLikelier(thresholds, 2, 5)`. */
export function isLikelier([threshold, finer], part, whole) {
  return (BigInt(threshold) * WORDS + BigInt(finer)) * BigInt(whole) > WORDS * WORDS * BigInt(part);
}

/** Return the thresholds of a chance of part/whole; `more` is 0n to round down, whole − 1n to round up. */
function thresholdsOf(part, whole, more = 0n) {
  const coarse = (WORDS * part + more) / whole;
  const change = coarse * whole - WORDS * part;
  if ((change < 0n ? -change : change) * COARSE <= part * (WORDS - coarse)) {
    return [Number(coarse), 0];
  }
  const fine = (WORDS * WORDS * part + more) / whole;
  return [Number(fine / WORDS), Number(fine % WORDS)];
}

/** The word's level is the number of these that it reaches; the last level has none, it takes what is left. */
export function levelThresholds(probabilities) {
  let upto = 0;
  return probabilities.slice(0, -1).map((probability) => {
    upto += probability;
    return Math.floor(upto * 2 ** 32);
  });
}
