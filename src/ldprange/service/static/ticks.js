/** Where an axis has its marks, in the domain's own units. */

import { dayAfter, dayText, numberText } from "./units.js";

const LETTER = 7; // pixels, about, of a letter on an axis
const GAP = 18;

/** @typedef {{ position: number, text: string }} Tick */

/**
 * Return marks for positions 0 to the number of bins that do not run into one another.
 *
 * @param {import("./units.js").Units} units
 * @param {number} width in pixels
 * @param {number} margin in pixels, to the right of that, into which a text may reach
 * @returns {Tick[]}
 */
export function ticksFor(units, width, margin) {
  for (const ticks of candidates(units)) {
    if (fits(ticks, units.bins, width)) {
      const reach = ({ position, text }) => (position * width) / units.bins + (LETTER * text.length) / 2;
      return ticks.filter((tick) => reach(tick) <= width + margin);
    }
  }
  return [];
}

/**
 * Return marks for what is beyond open ends, and those of the other `ticks` that do not run into them.
 *
 * @param {Tick[]} ticks
 * @param {import("./units.js").Units} units
 * @param {number} width in pixels, of positions 0 to the number of bins
 */
export function withEnds(ticks, units, width) {
  const [less, more] = units.kind === "dates" ? ["before", "after"] : ["less", "more"];
  const below = units.before === undefined ? [] : [{ position: -units.room / 2, text: less }];
  const above = units.after === undefined ? [] : [{ position: units.bins + units.room / 2, text: more }];
  const kept = ticks.filter((tick) => fits([...below, tick, ...above], units.bins, width, LETTER));
  return [...below, ...kept, ...above];
}

function fits(ticks, bins, width, gap = GAP) {
  return ticks.every((tick, at) => {
    if (at === 0) {
      return true;
    }
    const before = ticks[at - 1];
    const apart = ((tick.position - before.position) * width) / bins;
    return apart >= (LETTER * (tick.text.length + before.text.length)) / 2 + gap;
  });
}

/** Yield ever fewer marks. */
function* candidates(units) {
  switch (units.kind) {
    case "ordered":
      yield* labelTicks(units);
      break;
    case "dates":
      yield* dayTicks(units);
      break;
    case "logarithmic":
      yield* ratioTicks(units);
      break;
    default:
      yield* evenTicks(units);
  }
}

function* labelTicks(units) {
  const all = units.domain.labels.map((label, index) => ({ position: index + 0.5, text: label }));
  yield all;
  const short = all.map(({ position, text }) => ({ position, text: text.length > 10 ? `${text.slice(0, 9)}…` : text }));
  for (let step = 1; step <= all.length; step += 1) {
    yield short.filter((_, index) => index % step === 0);
  }
}

function* evenTicks(units) {
  const { low, high } = units.domain;
  const least = units.kind === "integers" ? 1 : (high - low) / 1e3;
  for (const step of roundSteps(Math.max(least, (high - low) / 100))) {
    const ticks = [];
    // + 0 so that there is no −0
    for (let count = Math.ceil(low / step - 1e-9) + 0; count * step <= high + 1e-9 * step; count += 1) {
      const value = count * step;
      const decimals = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
      // a whole number is marked in the middle of its bin
      const position = units.kind === "integers" ? Math.round(value) - low + 0.5 : units.start(value);
      ticks.push({ position, text: numberText(value, { maximumFractionDigits: decimals }) });
    }
    yield ticks;
    if (step > high - low) {
      return;
    }
  }
}

/** Yield 1, 2, 5, 10, 20, … from the first that is not below a least one. */
function* roundSteps(least) {
  for (let power = 10 ** Math.floor(Math.log10(least)); ; power *= 10) {
    yield* [1, 2, 5].map((factor) => factor * power).filter((step) => step >= least * (1 - 1e-9));
  }
}

function* ratioTicks(units) {
  const { low, high } = units.domain;
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const marks = (factors, every) => {
    const ticks = [];
    for (let power = first; power <= last; power += 1) {
      for (const factor of (power - first) % every === 0 ? factors : []) {
        const value = factor * 10 ** power;
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
          const text = numberText(value, { notation: value >= 1e5 ? "compact" : "standard", maximumSignificantDigits: 3 });
          ticks.push({ position: units.start(value), text });
        }
      }
    }
    return ticks;
  };
  yield marks([1, 2, 5], 1);
  yield marks([1, 3], 1);
  for (let every = 1; every <= last - first + 1; every += 1) {
    yield marks([1], every);
  }
}

function* dayTicks(units) {
  const { low, high } = units.domain;
  const tick = (day, format) => ({ position: units.start(day) + 0.5, text: dayText(day, format) });
  for (const step of [1, 2, 7, 14]) {
    const days = Array.from({ length: Math.floor((Math.min(units.bins, 400) - 1) / step) + 1 }, (_, at) => dayAfter(low, at * step));
    if (units.bins <= 400) {
      yield days.map((day) => tick(day, { day: "numeric", month: "short" }));
    }
  }
  const [year, month] = low.split("-").map(Number);
  for (const step of [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]) {
    const ticks = [];
    for (let months = 12 * year + (month - 1); ; months += 1) {
      const first = `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}-01`;
      if (first > high) {
        break;
      }
      if (first >= low && months % step === 0) {
        ticks.push(tick(first, step >= 12 ? { year: "numeric" } : { month: "short", year: "numeric" }));
      }
    }
    if (ticks.length > 0) {
      yield ticks;
    }
  }
  yield [tick(low, undefined), tick(high, undefined)];
  yield [tick(low, undefined)];
}
