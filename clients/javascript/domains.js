/** Domains: from people's values to bins. The sole owner of end points and units. */

import { checkKeys, chosenByKind, isWhole, shown } from "./checking.js";
import { DomainError } from "./errors.js";
import { noAnswer, openEnds } from "./extended_domains.js";
import { product } from "./product.js";

const SNAP = 1e-9; // a value this close to an edge, in bins, is on it
const MILLISECONDS_PER_DAY = 86_400_000;

const DOMAINS = new Map([
  ["integers", { keys: ["low", "high"], make: integers }],
  ["real", { keys: ["low", "high", "bins"], make: real }],
  ["logarithmic", { keys: ["low", "high", "bins"], make: logarithmic }],
  ["dates", { keys: ["first", "last"], make: dates }],
  ["ordered", { keys: ["labels"], make: ordered }],
  ["categories", { keys: ["labels"], make: ordered }], // the collector alone makes a difference
  ["open_ends", { keys: ["inside", "sides"], make: openEnds }],
  ["no_answer", { keys: ["inside"], make: noAnswer }],
  ["product", { keys: ["names", "axes"], make: product }],
]);

/**
 * Make the domain that a plan describes.
 *
 * It has `kind`, `bins`, `low` and `high` (the least and the greatest value, in the value's own units), `index(value)`, which
 * throws for any value outside, and `label(index)`, a bin's name for people. Numbers have `step` too (1, or "any", as an
 * HTML input takes it), and ordered ones `labels`. Numbers and days have `side(value)`: −1 for one below the domain, 1 for one above
 * it, and else 0. One with open ends has these as `inside`, and the names of its first and its last bin as `before` and `after`, if
 * they are open; one in which there may be no answer has the others as `inside`, and "no answer", or null, as `after`. A product has `names` and `axes` in place of `low` and `high`.
 */
export function domainOf(description) {
  const { keys, make } = chosenByKind("a domain", DOMAINS, description, DomainError);
  checkKeys(`a domain of kind ${description.kind}`, description, ["kind", ...keys], DomainError);
  return Object.freeze({ kind: description.kind, ...make(description, domainOf) });
}

function integers({ low, high }) {
  for (const [name, end] of Object.entries({ low, high })) {
    if (!Number.isSafeInteger(end)) {
      throw new DomainError(`the ${name} end must be a whole number of at most ±(2⁵³ − 1), got ${shown(end)}`);
    }
  }
  if (low > high) {
    throw new DomainError(`the low end must not exceed the high end, got ${low} > ${high}`);
  }
  const index = (value) => {
    checkInside(value, low, high);
    if (!Number.isInteger(value)) {
      throw new DomainError(`the value must be a whole number, got ${value}; round first`);
    }
    return value - low + 0; // never −0
  };
  const label = (bin) => String(low + bin);
  return { bins: high - low + 1, low, high, step: 1, index, label, side: sideOf(low, high) };
}

/** Bins of equal width; the top end belongs to the last. */
function real({ low, high, bins }) {
  checkEnds(low, high, bins);
  const perUnit = bins / (high - low);
  return continuous(low, high, bins, {
    position: (value) => (value - low) * perUnit,
    at: (share) => low * (1 - share) + high * share,
  });
}

/** Bins of equal ratio; the top end belongs to the last. */
function logarithmic({ low, high, bins }) {
  if (low <= 0) {
    throw new DomainError(`a logarithmic domain must begin above 0, got ${low}`);
  }
  checkEnds(low, high, bins);
  const magnitudes = Math.log(high / low);
  const perUnit = bins / magnitudes;
  return continuous(low, high, bins, {
    position: (value) => Math.log(value / low) * perUnit,
    at: (share) => low * Math.exp(magnitudes * share),
  });
}

function checkEnds(low, high, bins) {
  for (const [name, end] of Object.entries({ low, high })) {
    if (!Number.isFinite(end)) {
      throw new DomainError(`the ${name} end must be a finite number, got ${shown(end)}`);
    }
  }
  if (!isWhole(bins, 1, Number.MAX_SAFE_INTEGER)) {
    throw new DomainError(`bins must be a whole number from 1 to 2⁵³ − 1, got ${shown(bins)}`);
  }
  if (!(low < high)) {
    throw new DomainError(`the low end must be below the high end, got ${low} and ${high}`);
  }
}

function continuous(low, high, bins, { position, at }) {
  if (!(Math.abs(position(high) - bins) < 0.5)) {
    throw new DomainError(
      "the ends must be neither too far apart nor too close for floating-point numbers, " +
        `got ${low} and ${high} in ${bins} bins`,
    );
  }
  const index = (value) => {
    checkInside(value, low, high);
    const exact = Math.min(Math.max(position(value), 0), bins);
    const edge = Math.round(exact);
    // rounding, which differs from one platform's logarithm to another's, must not move a value off an edge
    const snapped = Math.abs(exact - edge) < SNAP * Math.max(1, edge) ? edge : exact;
    return Math.min(Math.floor(snapped), bins - 1);
  };
  const edgeText = (place) => String(Number(at(place / bins).toPrecision(6)));
  const label = (bin) => `${edgeText(bin)} – ${edgeText(bin + 1)}`;
  return { bins, low, high, step: "any", index, label, side: sideOf(low, high) };
}

function sideOf(low, high) {
  return (value) => (typeof value === "number" ? Number(value > high) - Number(value < low) : 0);
}

function checkInside(value, low, high) {
  if (typeof value !== "number") {
    const number = typeof value === "string" && value.trim() !== "" && !isNaN(Number(value)); // blank would be 0
    const advice = number ? "; convert it first, as with Number(text)" : "";
    throw new DomainError(`the value must be a number, got ${shown(value)}${advice}`);
  }
  if (!(low <= value && value <= high)) {
    throw new DomainError(`the value must lie between ${low} and ${high}, got ${value}`); // NaN is inside nothing
  }
}

/** Days, both ends included. They are texts: a JavaScript Date is a moment, whose day depends on where one is. */
function dates({ first, last }) {
  const start = dayNumber(first);
  const bins = dayNumber(last) - start + 1;
  if (bins < 1) {
    throw new DomainError(`the first day must not come after the last, got ${first} and ${last}`);
  }
  const index = (value) => {
    const bin = dayNumber(value) - start;
    if (bin < 0 || bin >= bins) {
      throw new DomainError(`the value must lie between ${first} and ${last}, got ${value}`);
    }
    return bin;
  };
  const side = (value) => Number(dayNumber(value) >= start + bins) - Number(dayNumber(value) < start);
  return { bins, low: first, high: last, index, label: (bin) => dayText(start + bin), side };
}

/** Return the number of a day, as 2026-01-31; one that the calendar does not have is an error. */
function dayNumber(text) {
  if (typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text) && text >= "0001") {
    const number = Date.parse(`${text}T00:00:00Z`) / MILLISECONDS_PER_DAY;
    if (Number.isInteger(number) && dayText(number) === text) {
      return number;
    }
  }
  throw new DomainError(`a day must be a text with one of the calendar, such as "2026-01-31", got ${shown(text)}`);
}

function dayText(number) {
  return new Date(number * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/** Labels in a given order. */
function ordered({ labels }) {
  const texts = Array.isArray(labels) && labels.every((label) => typeof label === "string");
  if (!texts || labels.length === 0 || labels.some((label) => /[\0\p{Surrogate}]/u.test(label))) {
    throw new DomainError(`labels must be one or more texts in whole characters, without NUL, got ${shown(labels)}`);
  }
  const places = new Map(labels.map((label, at) => [label, at]));
  if (places.size !== labels.length) {
    throw new DomainError(`labels must differ from one another, got ${shown(labels)}`);
  }
  const kept = Object.freeze([...labels]);
  const index = (value) => {
    const place = places.get(value);
    if (place === undefined) {
      throw new DomainError(`the value must be among the labels ${shown(kept)}, got ${shown(value)}`);
    }
    return place;
  };
  return { bins: kept.length, low: kept[0], high: kept[kept.length - 1], labels: kept, index, label: (bin) => kept[bin] };
}
