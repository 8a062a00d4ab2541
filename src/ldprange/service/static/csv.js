/** What the dashboard shows, as a table to be saved. */

import { NO_ANSWER } from "./extended_domains.js";

const SHARE = ["value", "low", "high"];

/**
 * Return the rows of one attribute: the range that is chosen, quartiles, histogram and distribution function.
 * The columns are those of `ldprange query --csv`.
 *
 * @param {any} overview
 * @param {string} attribute its name, where there are several
 * @param {any} range the answer to the range that is chosen, or null before it came
 */
export function oneRows({ confidence, quartiles, histogram, cdf, beside }, attribute, range) {
  const row = (kind, { from = "", to = "", q = "" }, found, at) => [
    ...[kind, attribute, "", from, to, q],
    ...SHARE.map((name) => (at === undefined ? found[name] : found[name][at])),
    confidence,
    found.note ?? "",
  ];
  return [
    ["kind", "attribute", "among", "from", "to", "q", ...SHARE, "confidence", "note"],
    ...(range === null ? [] : [row("range", { from: range.from[0], to: range.to[0] }, range)]),
    ...(quartiles?.q ?? []).map((q, at) => row("quantile", { q }, quartiles, at)),
    ...histogram.from.map((from, at) => row("histogram", { from, to: histogram.to[at] }, histogram, at)),
    ...(beside?.name ?? []).map((name, at) =>
      name === NO_ANSWER ? row(NO_ANSWER, {}, beside, at) : row("histogram", { from: name, to: name }, beside, at),
    ),
    ...(cdf?.to ?? []).map((to, at) => row("simultaneous cdf", { to }, cdf, at)),
  ];
}

/**
 * Return the rows of two attributes: the rectangle that is chosen, who answered not both, each attribute alone, and every cell.
 *
 * @param {any} overview
 * @param {string[]} names of the attributes
 * @param {any} range as of one
 */
export function pairRows({ confidence, no_answer: none, table, marginals }, names, range) {
  const ends = (axis, at) => [table.from[axis][at], table.to[axis][at]];
  const shares = (found, ...at) => SHARE.map((name) => at.reduce((each, place) => each[place], found[name]));
  const alone = marginals.flatMap((found, axis) =>
    found.value.map((_, at) => {
      const where = axis === 0 ? [...ends(0, at), "", ""] : ["", "", ...ends(1, at)];
      return ["histogram", ...where, ...shares(found, at), confidence, ""];
    }),
  );
  const cells = table.value.flatMap((column, across) =>
    column.map((_, up) => ["within", ...ends(0, across), ...ends(1, up), ...shares(table, across, up), confidence, ""]),
  );
  const chosen = range && [range.from[0], range.to[0], range.from[1], range.to[1], ...shares(range)];
  return [
    ["kind", ...names.flatMap((name) => [`${name} from`, `${name} to`]), ...SHARE, "confidence", "note"],
    ...(chosen ? [["within", ...chosen, confidence, range.note ?? ""]] : []),
    ...(none ? [[NO_ANSWER, "", "", "", "", ...shares(none), confidence, ""]] : []),
    ...alone,
    ...cells,
  ];
}

/** Return rows as the text of a file; what has a comma, a quotation mark or a line's end in it is quoted. */
export function csvText(rows) {
  const cell = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
