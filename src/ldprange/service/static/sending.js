/** Sending a report until it is acknowledged, or until only its owner can decide what to do. */

import { put, Refused, Unreachable } from "./requests.js";

const PAUSES = [1, 3]; // seconds between tries that nobody has to ask for
const LONGEST_PAUSE = 10;

/**
 * Send a report. It has the same id and bytes in every try, so that however often it arrives it counts once.
 *
 * @param {string} name the survey's
 * @param {string} batch
 * @param {Uint8Array} bytes
 * @param {(message: string) => void} say tells what happens meanwhile
 */
export async function send(name, batch, bytes, say) {
  for (let tries = 0; ; tries += 1) {
    try {
      say("Sending…");
      await put(name, batch, bytes);
      return;
    } catch (error) {
      const wait = tries < PAUSES.length ? pauseAfter(error, PAUSES[tries]) : null;
      if (wait === null) {
        throw error;
      }
      say(error instanceof Unreachable ? "No connection. Trying again…" : "The collector is busy. Trying again…");
      await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    }
  }
}

function pauseAfter(error, usual) {
  if (error instanceof Unreachable) {
    return usual;
  }
  return error instanceof Refused && error.retryAfter > 0 ? Math.min(Math.max(usual, error.retryAfter), LONGEST_PAUSE) : null;
}
