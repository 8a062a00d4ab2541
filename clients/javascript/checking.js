/** Checks of what comes in, and how it is shown in messages. */

const LONGEST_SHOWN = 80;
const LONGEST_LIST = 200;

/** Whether this is a plain object, as JSON has them. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether this is a whole number in an interval, both ends included. */
export function isWhole(value, low, high) {
  return Number.isInteger(value) && low <= value && value <= high;
}

/** Whether these are two lists of the same entries. */
export function sameList(one, other) {
  return Array.isArray(one) && one.length === other.length && one.every((entry, at) => entry === other[at]);
}

/** Refuse an object that has other keys than the wanted ones, of which none may lack. */
export function checkKeys(what, object, wanted, ErrorClass) {
  const keys = Object.keys(object);
  if (keys.length !== wanted.length || !wanted.every((key) => keys.includes(key))) {
    throw new ErrorClass(`${what} must have the keys ${wanted.join(", ")}, got ${shortened(keys.join(", "), LONGEST_LIST) || "none"}`);
  }
}

/** Return the entry that an object's kind chooses. */
export function chosenByKind(what, choices, object, ErrorClass) {
  const chosen = isObject(object) && typeof object.kind === "string" ? choices.get(object.kind) : undefined;
  if (chosen === undefined) {
    throw new ErrorClass(`${what}'s kind must be one of ${[...choices.keys()].join(", ")}, got ${shown(object)}`);
  }
  return chosen;
}

/** Return a value as a message has it: as JSON where it can, and not too long. */
export function shown(value) {
  let text = value instanceof Object ? Object.prototype.toString.call(value) : String(value);
  if (typeof value === "string" || value instanceof Object) {
    try {
      text = JSON.stringify(value) ?? text;
    } catch {
      // it goes round in circles, or deeper than anything that is meant to be read: its kind will do
    }
  }
  return shortened(text);
}

/** Return a text that a stranger may have written, not too long for a message. */
export function shortened(text, longest = LONGEST_SHOWN) {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
