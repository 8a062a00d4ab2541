/** What the audit has the shipped client do, in Node, in a browser, and in the workers of either. */

import { Client } from "./index.js";

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return so many reports of each value, a line each, value after value. */
export function reportsOf({ plan, values, runs }) {
  const client = new Client(plan);
  return values.flatMap((value) => Array.from({ length: runs }, () => hexadecimal(client.encode(value))));
}

/**
 * Return reports of a value, and what the same client makes when the platform's generator says again what it said before.
 *
 * A client whose coins are the platform's, and no others, makes the same reports again. `read` is how many bytes each one asked for.
 */
export function replayed({ plan, value, runs }) {
  const platform = globalThis.crypto;
  const client = new Client(plan);
  const original = platform.getRandomValues;
  const said = [];
  const sent = [];
  const again = [];
  const read = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const words = [];
      platform.getRandomValues = (array) => {
        original.call(platform, array);
        words.push(Uint8Array.from(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)));
        return array;
      };
      sent.push(hexadecimal(client.encode(value)));
      said.push(words);
      read.push(words.reduce((sum, each) => sum + each.length, 0));
    }
    for (let run = 0; run < runs; run += 1) {
      const words = [...said[run]];
      platform.getRandomValues = (array) => {
        new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(words.shift() ?? new Uint8Array());
        return array;
      };
      again.push(hexadecimal(client.encode(value)));
    }
  } finally {
    delete platform.getRandomValues; // the prototype's is there again
  }
  return { sent, again, read };
}

/** Do a task by its name. */
export const TASKS = { reportsOf, replayed };
