/** Numbers and bits as bytes, lowest first. */

import { bitLength } from "./coins.js";
import { WireError } from "./errors.js";

/** Return how many whole bytes hold any whole number below `bound`. */
export function widthOf(bound) {
  return Math.max(1, Math.ceil(bitLength(bound - 1) / 8));
}

/** Return a whole number below 2^32 as bytes. */
export function integerBytes(number, width) {
  return Array.from({ length: width }, (_, at) => (number >>> (8 * at)) & 0xff);
}

/** Read a whole number; one that is not below `bound` is an error. */
export function readInteger(bytes, bound) {
  const number = bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (number >= bound) {
    throw new WireError(`every number of a report must be below ${bound} in its place, got ${number}`);
  }
  return number;
}

/** Pack bits, eight to a byte. */
export function packedBits(bits) {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, at) => {
    bytes[at >> 3] |= bit << (at & 7);
  });
  return bytes;
}

/** Return the places of the bits that are 1; a bit beyond the last is an error. */
export function readBits(bytes, count) {
  const places = [];
  for (let at = 0; at < 8 * bytes.length; at += 1) {
    if ((bytes[at >> 3] >> (at & 7)) & 1) {
      places.push(at);
    }
  }
  if (places.length > 0 && places[places.length - 1] >= count) {
    throw new WireError(`a report's spare bits, beyond the ${count} of its cells, must be 0`);
  }
  return places;
}
