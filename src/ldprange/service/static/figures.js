/** The figures in words: tiles, precision, the range's share, and the table. */

import { make, the } from "./elements.js";
import { countText, numberText, shareText } from "./units.js";

/** A typical interval of ± this or more says nothing. */
export const HARDLY_ANY = 0.5;
const WIDE = 0.95; // a bar whose interval is shorter than this says something

/** Write a text where it is not there yet, so that nothing is announced or selected away without need. */
export function write(id, words) {
  const element = the(id);
  if (element.textContent !== words) {
    element.textContent = words;
  }
}

/** Whether there are enough answers to show anything of how they are spread: at least a few wide bars. */
export function tellsSomething({ error, histogram }) {
  const length = (low, at) => Math.min(histogram.high[at], 1) - Math.max(low, 0); // of what is possible at all
  return error !== null && (error.typical < HARDLY_ANY || (histogram?.low.some((low, at) => length(low, at) < WIDE) ?? false));
}

/** Tell how many answered, and how sure one can be of what is `asked`: a range, or a category. */
export function showCount(overview, asked) {
  const { reports, error } = overview;
  write("count", countText(reports));
  write("precision", precisionText(overview, asked));
  the("few").hidden = !tellsSomething(overview) || error.typical <= error.wanted;
}

/**
 * @param {any} overview
 * @param {import("./units.js").Units} units
 */
export function showQuartiles(overview, units) {
  const { quartiles, error } = overview;
  const told = error.typical < HARDLY_ANY;
  ["lower", "median", "upper"].forEach((name, at) => {
    const text = told ? units.text(quartiles.value[at]) : "–";
    write(name, text);
    the(name).classList.toggle("long", text.length > 8);
    the(name).classList.toggle("sentence", text.length > 20);
    write(`${name}-interval`, told ? intervalText(quartiles.low[at], quartiles.high[at], units) : "too few answers yet");
  });
}

function intervalText(low, high, units) {
  return low === high ? `only ${units.named(high)}` : `${units.text(low)} to ${units.named(high)}`;
}

function precisionText({ error, reports, confidence, denoised }, asked) {
  const sure = `${Math.round(100 * confidence)}% sure`;
  const { typical, wanted, more } = error;
  const enough = enoughText(reports, error);
  if (typical >= HARDLY_ANY) {
    return `Very few answers so far: they tell hardly anything. With ${enough}, you’d know a typical ${asked} to ${pointsText(wanted)} (${sure}).`;
  }
  return (
    `You now know a typical ${asked} to ${pointsText(typical)} (${sure}${denoised ? ", before denoising" : ""}); ` +
    (typical > wanted ? `${enough} would make that ${pointsText(wanted)}.` : `${countText(more)} more would halve that.`)
  );
}

/** Return a margin of error in percentage points, as text. */
export function pointsText(margin) {
  return `±\u00a0${numberText(100 * margin, { maximumSignificantDigits: 2 })} percentage points`;
}

/** Return about how many answers it takes for the wanted margin, if so many leave a typical one: it falls with their root. */
export function enoughText(reports, { typical, wanted }) {
  return `about ${countText(Number((reports * (typical / wanted) ** 2).toPrecision(2)))} answers`;
}

/**
 * Tell the share of a range.
 *
 * @returns {string} the same in one sentence
 */
export function showRange(answer, units) {
  const { from, to } = answer;
  const one = from === to ? units.named(to) : units.hasOrder ? `${units.text(from)} to ${units.named(to)}` : units.anyOf(from, to);
  const between = units.hasOrder && from !== to && ![from, to].some((end) => units.isBeyond(end));
  return showShare(answer, between ? `lie between ${units.text(from)} and ${units.named(to)}` : `answer ${one}`);
}

/** Tell the share of the people of whom some words hold; return all of it in one sentence. */
export function showShare({ value, low, high, confidence, note }, words) {
  write("range-share", shareText(value));
  write("range-interval", `[${shareText(low)}, ${shareText(high)}] at ${Math.round(100 * confidence)}%`);
  write("range-words", words);
  write("range-note", note);
  the("range-note").hidden = note === "";
  return `${shareText(value)} ${words}; the interval is ${shareText(low)} to ${shareText(high)}.${note && ` ${note}.`}`;
}

/** Write the pictures as a table: a row for each bar. */
export function showTable(overview, units) {
  const { histogram, cdf } = overview;
  const upTo = new Map(cdf?.to.map((to, at) => [to, cdf.value[at]])); // what has no order has no cdf
  const names = ["Values", "Share", "Interval", ...(units.hasOrder ? ["Up to here"] : [])];
  const header = names.map((name) => make("th", { scope: "col" }, name));
  const rows = histogram.from.map((from, at) => {
    const to = histogram.to[at];
    const interval = `${shareText(histogram.low[at])} to ${shareText(histogram.high[at])}`;
    const values = from === to ? units.text(to) : `${units.text(from)} to ${units.text(to)}`;
    const total = upTo.has(to) ? shareText(upTo.get(to)) : "";
    const row = [values, shareText(histogram.value[at]), interval, total].slice(0, names.length);
    return make("tr", {}, ...row.map((text) => make("td", {}, text)));
  });
  const caption = make("caption", { class: "unseen" }, "Share of people by value, with intervals");
  the("table").replaceChildren(caption, make("thead", {}, make("tr", {}, ...header)), make("tbody", {}, ...rows));
}
