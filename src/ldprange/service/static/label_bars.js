/** Bars that lie, one below the other, each with its words and its interval: for long labels, and for what has no place on an axis. */

import { make, the } from "./elements.js";
import { shareText } from "./units.js";

const LONG = 10; // letters that fit below a bar that stands
const MANY = 6; // categories that do

/** @typedef {{ words: string, value: number, low: number, high: number }} Row */

/**
 * Whether labels are too long or too many to stand below their bars.
 *
 * @param {import("./units.js").Units} units
 */
export function haveToLie({ kind, hasOrder, domain }) {
  return kind === "ordered" && (domain.labels.some((label) => label.length > LONG) || (!hasOrder && domain.labels.length > MANY));
}

/** The histogram of labels that have to lie. */
export class LabelBars {
  /** @type {Row[]} */
  rows = [];

  /**
   * @param {HTMLElement} place
   * @param {import("./units.js").Units} units
   */
  constructor(place, units) {
    place.removeAttribute("role"); // it is words, not a picture
    place.classList.remove("chart");
    this.list = make("ul", { class: "label-bars" });
    place.replaceChildren(this.list);
    this.units = units;
  }

  update({ histogram: { from, to, value, low, high } }) {
    this.rows = from.map((first, at) => {
      const words = first === to[at] ? this.units.text(first) : `${this.units.text(first)} to ${this.units.text(to[at])}`;
      return { words, value: value[at], low: low[at], high: high[at] };
    });
    this.list.replaceChildren(...listed(this.rows));
  }

  /**
   * What the bars show, in words.
   *
   * @param {string} sure how often an interval holds
   */
  note(sure) {
    return `per ${this.rows.length < this.units.bins ? "bar" : "answer"}; each line is a ${sure} interval`;
  }
}

/**
 * Return what has no place on an axis: what is beyond open ends, and no answer.
 *
 * @param {any} overview
 * @param {import("./units.js").Units} units
 * @returns {Row[]}
 */
export function besideRows({ beside }, units) {
  return (beside?.name ?? []).map((name, at) => ({
    words: units.isBeyond(name) ? units.named(name) : "rather not say (of all people)",
    value: beside.value[at],
    low: beside.low[at],
    high: beside.high[at],
  }));
}

/** Show what has no place on an axis, if there is any. */
export function showBeside(overview, units) {
  const rows = besideRows(overview, units);
  the("beside").hidden = rows.length === 0;
  the("beside").replaceChildren(...listed(rows));
}

/** Return a row's share and interval in words. */
export function rowText({ value, low, high }) {
  return `${shareText(value)} [${shareText(low)}, ${shareText(high)}]`;
}

/** Return where bars and intervals of rows begin and end, as parts of the length that there is: at its end is the highest, or a quarter of all people. */
export function partsOf(rows) {
  const full = Math.max(rows.length > MANY ? 0.001 : 0.25, ...rows.map(({ high }) => high)); // a few small bars look small
  const part = (share) => Math.min(Math.max(share / full, 0), 1);
  return rows.map(({ value, low, high }) => ({ value: part(value), low: part(low), high: part(high) }));
}

function listed(rows) {
  const parts = partsOf(rows);
  return rows.map((row, at) => {
    const track = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "bar" }), make("span", { class: "whisker" }));
    for (const [name, part] of Object.entries(parts[at])) {
      track.style.setProperty(`--${name}`, String(part));
    }
    return make("li", {}, make("span", { class: "words" }, row.words), track, make("span", { class: "quiet" }, rowText(row)));
  });
}
