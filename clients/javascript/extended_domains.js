/** Domains with a bin of its own before or after another domain's, for answers that are none of its values. */

import { isObject, shown } from "./checking.js";
import { DomainError, reworded } from "./errors.js";

const OPEN = ["integers", "real", "logarithmic", "dates"]; // kinds whose ends may be open
const ANSWERS = [...OPEN, "ordered", "categories", "open_ends"]; // kinds beside which there may be no answer
const SIDES = ["both", "low", "high"];

/** Numbers or days, and bins for all that lies beyond an end: "less than 0", "more than 120". */
export function openEnds({ inside, sides }, domainOf) {
  if (!isObject(inside) || !OPEN.includes(inside.kind)) {
    throw new DomainError(`open ends must be those of numbers or days, got ${shown(inside)}`);
  }
  if (!SIDES.includes(sides)) {
    throw new DomainError(`the sides of open ends must be one of ${SIDES.join(", ")}, got ${shown(sides)}`);
  }
  const domain = domainOf(inside);
  const [less, more] = domain.kind === "dates" ? ["before", "after"] : ["less than", "more than"];
  const before = sides === "high" ? undefined : `${less} ${domain.low}`;
  const after = sides === "low" ? undefined : `${more} ${domain.high}`;
  return extended(domain, before, after, domain.side);
}

/** The name of the bin of those who would rather not say, and its value. */
export const NO_ANSWER = "no answer";

/** A domain of one attribute, and one more bin, the last, for people who give no answer (null). */
export function noAnswer({ inside }, domainOf) {
  if (!isObject(inside) || !ANSWERS.includes(inside.kind)) {
    throw new DomainError(`no answer must be beside the values of one attribute, and once, got ${shown(inside)}`);
  }
  const domain = domainOf(inside);
  if (domain.labels?.includes(NO_ANSWER)) {
    throw new DomainError(`labels must not be ${shown(NO_ANSWER)}, which stands for itself`);
  }
  const labels = domain.labels && { labels: Object.freeze([...domain.labels, NO_ANSWER]) };
  return { ...extended(domain, undefined, NO_ANSWER, (value) => Number(value === null)), ...labels };
}

/**
 * Return a domain with a named bin before another, after it, or both. The name is the bin's value.
 *
 * `side` tells of a value that is no name in which of these bins it belongs: −1, 1, or 0 for neither.
 */
function extended(inside, before, after, side) {
  const lead = before === undefined ? 0 : 1;
  const bins = inside.bins + lead + (after === undefined ? 0 : 1);
  const place = (value) => {
    const named = typeof value === "string" && [before, after].includes(value);
    const where = named ? (value === before ? -1 : 1) : side(value);
    if (where < 0 && before !== undefined) {
      return 0;
    }
    return where > 0 && after !== undefined ? bins - 1 : lead + inside.index(value);
  };
  const words = [before, after].filter(Boolean).map((name) => shown(name)).join(", ");
  const also = inside.inside ? ", " : "; these words will do, too: ";
  const index = (value) => reworded(() => place(value), (message) => message + also + words);
  const label = (bin) => {
    const name = bin < lead ? before : bin - lead >= inside.bins ? after : undefined;
    return name ?? inside.label(bin - lead);
  };
  return { bins, low: before ?? inside.low, high: after ?? inside.high, inside, before, after, index, label };
}
