/** A plan's fingerprint: the start of a digest of everything in it, which every implementation must find alike. */

import { isObject } from "./checking.js";
import { sha256 } from "./digest.js";
import { hexadecimal } from "./wire.js";

const FINGERPRINT_BYTES = 8;
const FLOATS = ["epsilon", "level_probabilities"];
const CONTINUOUS = ["real", "logarithmic"]; // domains whose ends are floats, too

/** Return the fingerprint of a plan's description, whatever fingerprint it states itself. */
export function fingerprintOf(description) {
  const { fingerprint: _, ...rest } = description;
  const bytes = new TextEncoder().encode(canonical(rest));
  return hexadecimal(sha256(bytes).subarray(0, FINGERPRINT_BYTES));
}

/**
 * Return the one text of a plan's description that is digested: JSON with sorted keys, no spaces, and ASCII only.
 *
 * Numbers are written as Python writes them, where 1 and 1.0 differ; which are floats follows from where they stand.
 */
export function canonical(value, isFloat = false) {
  if (Array.isArray(value)) {
    return `[${value.map((entry) => canonical(entry, isFloat)).join(",")}]`;
  }
  if (isObject(value)) {
    const entries = Object.keys(value).sort(); // all are ASCII
    return `{${entries.map((key) => `${quoted(key)}:${canonical(value[key], holdsFloats(value, key))}`).join(",")}}`;
  }
  if (typeof value === "string") {
    return quoted(value);
  }
  return typeof value === "number" && isFloat ? floatText(value) : String(value);
}

function holdsFloats({ kind }, key) {
  return FLOATS.includes(key) || (CONTINUOUS.includes(kind) && (key === "low" || key === "high"));
}

/** Return a text in quotes, with everything escaped that is not ASCII. */
function quoted(text) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, escaped);
}

/** Return a number as Python's repr of a float has it. */
function floatText(number) {
  const size = Math.abs(number);
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  const [digits, exponent] = size.toExponential().split("e");
  if (size === 0 || (1e-4 <= size && size < 1e16)) {
    return `${sign}${size}${Number.isInteger(size) ? ".0" : ""}`;
  }
  return `${sign}${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
