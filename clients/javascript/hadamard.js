/**
 * Hadamard hashing: a public random line hashes the cell to t bits, a symbol that goes through randomised response.
 *
 * Cells and indices are vectors of bits, cut into digits of t bits. Symbol bit r is the parity of (C^r·index) AND place, where C
 * multiplies every digit by x modulo x^t + x + 1. With t = 1 this is Hadamard randomised response (HRR). A plan has at most
 * 2^28 counters, so all numbers here fit the 32-bit operations that JavaScript has.
 */

import { integerBytes, readInteger, widthOf } from "./bytes.js";
import { below, bitLength } from "./coins.js";
import { numberField } from "./fewest_bits.js";
import { SymbolResponse } from "./randomized_response.js";

const SCATTER = [0x9e3779b1, 0x85ebca6b]; // odd, so that multiplying by them permutes

export function hadamardMechanism(cells, bits, e) {
  const symbols = 1 << bits;
  const response = new SymbolResponse(symbols, e);
  const digits = Math.max(1, Math.ceil(bitLength(cells - 1) / bits));
  const size = 2 ** (bits * digits);
  const lines = (size - 1) / (symbols - 1);
  const counters = lines * symbols;
  const width = widthOf(counters);

  const symbolOf = (line, item) => {
    const place = bits === 1 ? item : scattered(item, bits * digits);
    let power = indexOf(line, symbols);
    let symbol = 0;
    for (let r = 0; r < bits; r += 1) {
      symbol |= parity(power & place) << r;
      power = timesX(power, bits, lines);
    }
    return symbol;
  };
  return {
    name: bits === 1 ? "Hadamard randomised response" : "Hadamard hashing",
    cells,
    width,
    fields: [numberField(width, counters)],
    counters,
    encode(item, coins) {
      const line = below(coins, lines);
      return integerBytes(line * symbols + response.encode(symbolOf(line, item), coins), width);
    },
    read(bytes) {
      const code = readInteger(bytes, counters);
      return { line: Math.floor(code / symbols), lines, symbol: code % symbols, symbols };
    },
    supports: ({ line, symbol }) => (item) => symbolOf(line, item) === symbol,
  };
}

/** HRR where only the difference between the halves of each node is wanted: the index is always odd. */
export function contrastMechanism(cells, e) {
  const response = new SymbolResponse(2, e);
  const pairs = 2 ** bitLength(cells / 2 - 1);
  const width = widthOf(2 * pairs);
  return {
    name: "Hadamard randomised response",
    cells,
    width,
    fields: [numberField(width, 2 * pairs)],
    counters: 2 * pairs,
    encode(item, coins) {
      const pair = below(coins, pairs);
      return integerBytes(2 * pair + response.encode(parity((2 * pair + 1) & item), coins), width);
    },
    read(bytes) {
      const code = readInteger(bytes, 2 * pairs);
      return { line: code >>> 1, lines: pairs, symbol: code & 1, symbols: 2 };
    },
    supports: ({ line, symbol }) => (item) => parity((2 * line + 1) & item) === symbol,
  };
}

/** Return a line's index, the one on it whose highest digit other than 0 is 1. */
function indexOf(line, symbols) {
  let [first, power] = [0, 1]; // (g^j − 1)/(g − 1), the lines that end below digit j, and g^j
  while (first + power <= line) {
    first += power;
    power *= symbols;
  }
  return line - first + power;
}

/** Multiply every digit by x modulo x^t + x + 1; `ones` has the lowest bit of every digit (the number of lines does). */
function timesX(index, bits, ones) {
  const top = bits - 1;
  const carry = (index >>> top) & ones;
  return ((index ^ (carry << top)) << 1) ^ carry ^ (carry << 1);
}

/** Permute the cells by a fixed public rule, so that neighbours do not collide together. */
function scattered(item, bits) {
  const [half, mask] = [(bits + 1) >> 1, 2 ** bits - 1];
  let place = item;
  for (const factor of SCATTER) {
    place ^= place >>> half;
    place = Math.imul(place, factor) & mask;
  }
  return place ^ (place >>> half);
}

function parity(number) {
  let folded = number ^ (number >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  return (0x6996 >>> (folded & 15)) & 1; // the parities of 0 to 15, a bit each
}
