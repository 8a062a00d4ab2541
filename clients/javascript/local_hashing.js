/**
 * Local hashing (OLH): a public random hash to g symbols, then randomised response on the symbol.
 *
 * The hash is a random quadratic over the field of P = 2^s − 1 elements. Its products pass 2^53, so it is computed with
 * whole numbers of any length.
 */

import { integerBytes, readInteger, widthOf } from "./bytes.js";
import { below } from "./coins.js";
import { numberField } from "./fewest_bits.js";
import { SymbolResponse } from "./randomized_response.js";

const MERSENNE_EXPONENTS = [7, 13, 17, 19, 31];
const EVENNESS = 32; // elements of the field per symbol, so that symbols are nearly equally likely

export function hashingMechanism(cells, symbols, e) {
  const response = new SymbolResponse(symbols, e);
  const exponent = MERSENNE_EXPONENTS.find((s) => 2 ** s - 1 >= Math.max(cells, EVENNESS * symbols));
  const prime = 2 ** exponent - 1;
  const [coefficientWidth, symbolWidth] = [widthOf(prime), widthOf(symbols)];
  return {
    name: "optimal local hashing",
    cells,
    width: 3 * coefficientWidth + symbolWidth,
    fields: [...Array(3).fill(numberField(coefficientWidth, prime)), numberField(symbolWidth, symbols)],
    counters: cells,
    encode(item, coins) {
      const coefficients = [below(coins, prime), below(coins, prime), below(coins, prime)];
      const symbol = response.encode(hashed(coefficients, item, exponent, symbols), coins);
      return [...coefficients.flatMap((a) => integerBytes(a, coefficientWidth)), ...integerBytes(symbol, symbolWidth)];
    },
    read(bytes) {
      const field = (at) => bytes.subarray(at * coefficientWidth, (at + 1) * coefficientWidth);
      const coefficients = [0, 1, 2].map((at) => readInteger(field(at), prime));
      return { coefficients, symbol: readInteger(bytes.subarray(3 * coefficientWidth), symbols), symbols };
    },
    supports: ({ coefficients, symbol }) => (item) => hashed(coefficients, item, exponent, symbols) === symbol,
  };
}

/** Return ⌊g·((a₂x² + a₁x + a₀) mod P)/2^s⌋. */
export function hashed(coefficients, item, exponent, symbols) {
  const [a0, a1, a2] = coefficients.map(BigInt);
  const [x, s] = [BigInt(item), BigInt(exponent)];
  const value = ((a2 * x + a1) * x + a0) % ((1n << s) - 1n);
  return Number((value * BigInt(symbols)) >> s);
}
