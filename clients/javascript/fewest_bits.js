/**
 * Version 2 of a report: its fields one after another, each in the fewest bits that hold it, lowest first.
 *
 * A mechanism's `fields` say how its reports of version 1 are cut: each field takes so many whole `bytes` there, and so many `bits`
 * here. A field with `set`, its `cells` and `size`, is a set of cells, one bit each, which is written as its number here.
 */

import { readBits } from "./bytes.js";
import { bitLength } from "./coins.js";
import { WireError } from "./errors.js";

const MOST_SETS = 1n << 64n; // sets beyond are not numbered

/** Return the one field of a mechanism whose report is a whole number below `bound`, in so many bytes. */
export function numberField(bytes, bound) {
  return { bytes, bits: bitLength(bound - 1) };
}

/** Return the field of a set of `size` out of `cells` cells. */
export function setField(cells, size) {
  const bytes = Math.ceil(cells / 8);
  const number = 2 * size <= cells ? choose(cells, size, MOST_SETS) : undefined;
  if (number === undefined) {
    return { bytes, bits: cells };
  }
  return { bytes, bits: (number - 1n).toString(2).length, set: { cells, size, number } };
}

/** Return how many bytes a report takes. */
export function compactWidth(fields) {
  return Math.ceil(fields.reduce((bits, field) => bits + field.bits, 0) / 8);
}

/** Turn a report of version 1 into one of version 2. */
export function compact(fields, payload) {
  let [at, offset, whole] = [0, 0n, 0n];
  for (const { bytes, bits, set } of fields) {
    const part = payload.slice(at, at + bytes);
    whole |= (set ? rankOf(part) : numberOf(part)) << offset;
    [at, offset] = [at + bytes, offset + BigInt(bits)];
  }
  return bytesOf(whole, compactWidth(fields));
}

/** Turn a report of version 2 into one of version 1; one that no client can have sent is an error. */
export function expand(fields, report) {
  let left = numberOf(report);
  const payload = fields.flatMap(({ bytes, bits, set }) => {
    const value = BigInt.asUintN(bits, left);
    left >>= BigInt(bits);
    if (set && value >= set.number) {
      throw new WireError(`a set must have a number below ${set.number}, got ${value}`);
    }
    return [...bytesOf(set ? setOf(value, set) : value, bytes)];
  });
  if (left !== 0n) {
    throw new WireError("a report's spare bits must be 0");
  }
  return Uint8Array.from(payload);
}

/** Return C(n, r), or nothing if it is beyond `most`. */
function choose(n, r, most) {
  let found = 1n;
  for (let i = 1; i <= r; i += 1) {
    found = (found * BigInt(n - r + i)) / BigInt(i);
    if (found > most) {
      return undefined; // it only grows
    }
  }
  return found;
}

/** Return the number of a set of cells, a bit each: C(c₁, 1) + … + C(c_k, k) of its cells in order. */
function rankOf(bytes) {
  const cells = readBits(bytes, 8 * bytes.length);
  return cells.reduce((rank, cell, at) => rank + (cell > at ? choose(cell, at + 1, MOST_SETS) : 0n), 0n);
}

/** Return the set that has a number, a bit for each cell. */
function setOf(rank, { cells, size, number }) {
  let [bits, left, wanting] = [0n, rank, size];
  let term = number; // C(cell, wanting), step by step; of all cells it would be the number of sets
  for (let cell = cells - 1; wanting > 0; cell -= 1) {
    const above = BigInt(cell + 1);
    term = (term * (above - BigInt(wanting))) / above; // C(c − 1, i) = C(c, i)·(c − i)/c
    if (term <= left) {
      bits |= 1n << BigInt(cell);
      left -= term;
      term = cell >= wanting ? (term * BigInt(wanting)) / BigInt(cell - wanting + 1) : 0n; // C(c, i − 1)
      wanting -= 1;
    }
  }
  return bits;
}

function numberOf(bytes) {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).reverse();
  return BigInt(`0x0${digits.join("")}`);
}

function bytesOf(number, width) {
  const digits = number.toString(16).padStart(2 * width, "0").match(/../g) ?? [];
  return Uint8Array.from(digits.reverse(), (pair) => parseInt(pair, 16));
}
