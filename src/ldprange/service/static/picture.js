/** Pictures to be saved and printed: drawn in SVG, with a heading, a legend, and names on their axes. */

import { shape } from "./heat_map.js";
import { partsOf, rowText } from "./label_bars.js";
import { wrapped } from "./lines.js";
import { ticksFor } from "./ticks.js";

const WIDTH = 760; // of any picture, in its own units
const [LEFT, RIGHT, EDGE] = [62, 24, 16];
const LINE = 20; // from one line of text to the next
const LETTERS = 82; // of a heading, in a line
const WORDS = { width: 300, letters: 40 }; // before a bar that lies
const LENGTH = 290; // of the longest that lies
const TICKS = 5; // marks of shares, about
const STYLES = [
  ...["display", "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray"],
  ...["font-family", "font-size", "font-weight"],
];

/** @typedef {{ title: string, facts: string }} Heading what is asked, and of how many it is told; either may be "" */

/**
 * Return the picture of one attribute.
 *
 * @param {Heading} heading
 * @param {import("./units.js").Units} units
 * @param {{ note: string, bars?: import("./histogram_chart.js").Bar[], rows?: import("./label_bars.js").Row[] }} histogram bars that stand, or lie
 * @param {{ note: string, data: any, stepped: boolean, quartiles: any } | null} cdf of what has an order
 * @param {import("./label_bars.js").Row[]} beside what has no place on the axis
 */
export function onePicture(heading, units, histogram, cdf, beside) {
  const begun = headed(heading);
  const caption = `Share of people ${histogram.note}`;
  const drawn = [histogram.rows ? lyingBars(begun.bottom, caption, histogram.rows) : standingBars(units, begun.bottom, caption, histogram.bars)];
  if (beside.length > 0) {
    drawn.push(lyingBars(drawn.at(-1).bottom + EDGE, "Not on the axis", beside));
  }
  if (cdf !== null) {
    const [, , low, high] = cdf.data;
    const around = [Math.max(Math.min(0, ...low), -0.15), Math.min(Math.max(1, ...high), 1.15)];
    const panel = new Panel(units, drawn.at(-1).bottom + EDGE, 230, `Share of people up to a value; ${cdf.note}`, around);
    drawn.push({ bottom: panel.bottom, parts: [...panel.parts(), ...curve(panel, cdf), ...quartiles(panel, units, cdf.quartiles)] });
  }
  return whole(drawn.at(-1).bottom, ...begun.parts, ...drawn.flatMap(({ parts }) => parts));
}

/**
 * Return the picture of two attributes: what is on the page, under a heading and with the meaning of its colours.
 *
 * @param {Heading} heading
 * @param {import("./heat_map.js").HeatMap} map
 * @param {string} most the share of the fullest cell
 */
export function pairPicture(heading, map, most) {
  const begun = headed(heading);
  const width = WIDTH - 2 * EDGE;
  const copy = map.copyOf(width);
  const top = begun.bottom + LINE;
  for (const [name, value] of Object.entries({ x: EDGE, y: top, width })) {
    copy.setAttribute(name, String(value));
  }
  copy.removeAttribute("class"); // on the page it is as wide as its place
  const steps = [0, 0.25, 0.5, 0.75, 1].map((opacity, at) =>
    shape("rect", { class: "cell", "fill-opacity": opacity, x: EDGE + 210 + 26 * at, y: begun.bottom, width: 26, height: 12 }),
  );
  const legend = [
    words("legend", EDGE, begun.bottom + 11, "Share of people in each cell: 0%"),
    ...steps,
    words("legend", EDGE + 348, begun.bottom + 11, `${most}; dashed: the chosen range`),
  ];
  return whole(top + Number(copy.getAttribute("height")), ...begun.parts, ...legend, copy);
}

/** Return a picture as the text of a file, which looks the same without this page's styles. */
export function svgText(picture) {
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const [from, to] = [picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value && !to[at].hasAttribute(name)) {
        to[at].setAttribute(name, value);
      }
    }
    to[at].removeAttribute("tabindex");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/** Axes and a caption, and where positions and shares are between them. */
class Panel {
  constructor(units, top, height, caption, [low, high]) {
    const lines = wrapped(caption, LETTERS + 18);
    this.units = units;
    this.frame = { left: LEFT, top: top + LINE * lines.length, width: WIDTH - LEFT - RIGHT, height };
    this.captions = lines.map((line, at) => words("caption", EDGE, top + LINE * at + 10, line));
    this.extent = { low, high };
    this.bottom = this.frame.top + height + (units.unit ? 46 : 30);
  }

  x(position) {
    return round(this.frame.left + (this.frame.width * position) / this.units.bins);
  }

  y(share) {
    const { low, high } = this.extent;
    const inside = Math.min(Math.max(share, low), high); // early on, bands go anywhere
    return round(this.frame.top + (this.frame.height * (high - inside)) / (high - low));
  }

  parts() {
    const { left, top, width, height } = this.frame;
    const shares = shareTicks(this.extent).flatMap((share) => [
      shape("line", { class: share === 0 ? "zero" : "grid", x1: left, x2: left + width, y1: this.y(share), y2: this.y(share) }),
      words("tick", left - 8, this.y(share) + 4, `${Number((100 * share).toPrecision(3))}%`.replace("-", "−"), "end"),
    ]);
    const values = ticksFor(this.units, width, RIGHT).map(({ position, text }) =>
      words("tick", this.x(position), top + height + 18, text, "middle"),
    );
    const unit = this.units.unit ? [words("tick", left + width / 2, top + height + 36, this.units.unit, "middle")] : [];
    return [...this.captions, ...shares, ...values, ...unit];
  }
}

function standingBars(units, top, caption, bars) {
  const panel = new Panel(units, top, 210, caption, extentOf(bars));
  return { bottom: panel.bottom, parts: [...panel.parts(), ...bars.flatMap((bar) => drawnBar(panel, bar))] };
}

/** Return bars that lie, each with its words before it and its share behind it, below a caption. */
function lyingBars(top, caption, rows) {
  const parts = [words("caption", EDGE, top + 10, caption)];
  let y = top + LINE;
  partsOf(rows).forEach(({ value, low, high }, at) => {
    const lines = wrapped(rows[at].words, WORDS.letters);
    const height = Math.max(LINE, 16 * lines.length) + 8;
    const middle = y + height / 2;
    parts.push(
      ...lines.map((line, count) => words("tick", WORDS.width - 10, middle + 16 * (count - (lines.length - 1) / 2) + 4, line, "end")),
      shape("rect", { class: "bar-of", x: WORDS.width, y: middle - 8, width: round(Math.max(0.5, LENGTH * value)), height: 16 }),
      shape("line", { class: "whisker", x1: round(WORDS.width + LENGTH * low), x2: round(WORDS.width + LENGTH * high), y1: middle, y2: middle }),
      words("tick", WORDS.width + LENGTH + 10, middle + 4, rowText(rows[at])),
    );
    y += height;
  });
  return { bottom: y, parts };
}

function drawnBar(panel, { start, stop, share, low, high }) {
  const [left, right, y, floor] = [panel.x(start), panel.x(stop), panel.y(share), panel.y(0)];
  const gap = right - left > 5 ? 1 : 0;
  const middle = round((left + right) / 2);
  const box = { x: left + gap / 2, y: Math.min(y, floor), width: round(Math.max(0.5, right - left - gap)), height: round(Math.abs(floor - y)) };
  return [
    shape("rect", { class: "bar-of", ...box }),
    shape("line", { class: "whisker", x1: middle, x2: middle, y1: panel.y(low), y2: panel.y(high) }),
  ];
}

function curve(panel, { data, stepped }) {
  const [at, value, low, high] = data;
  const path = (shares, places = [...at.keys()]) =>
    places.map((place) => [panel.x(at[place]), panel.y(shares[place])]);
  const held = (points) => points.flatMap(([x, y], index) => (index ? [[x, points[index - 1][1]], [x, y]] : [[x, y]]));
  const ahead = (points) => points.flatMap(([x, y], index) => (index ? [[points[index - 1][0], y], [x, y]] : [[x, y]]));
  const text = (points) => points.map((point) => point.join(" ")).join("L");
  // inside a bin, a curve that never falls lies between what is known at the bin's two ends
  const band = [...held(path(low)), ...(stepped ? held : ahead)(path(high)).reverse()];
  return [shape("path", { class: "band", d: `M${text(band)}Z` }), shape("path", { class: "curve", d: `M${text(stepped ? held(path(value)) : path(value))}` })];
}

function quartiles(panel, units, { q, value }) {
  return q.flatMap((share, at) => {
    if (units.isBeyond(value[at])) {
      return []; // it has no place on the axis
    }
    const x = panel.x(units.discrete ? units.start(value[at]) + 0.5 : units.stop(value[at]));
    const y = panel.y(share);
    return [
      shape("line", { class: "drop", x1: x, x2: x, y1: panel.y(0), y2: y }),
      shape("circle", { class: "dot", cx: x, cy: y, r: 3.5 }),
      words("tick", x + 8, y + 14, units.short(value[at])),
    ];
  });
}

function extentOf(bars) {
  const low = Math.min(0, ...bars.map((bar) => bar.low));
  const high = Math.max(0.001, ...bars.map((bar) => bar.high));
  const margin = 0.04 * (high - low);
  return [low < 0 ? low - margin : 0, high + margin];
}

/** Return round shares from the lowest to the highest. */
function shareTicks({ low, high }) {
  const rough = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

function headed({ title, facts }) {
  const lines = [...wrapped(title, 0.7 * LETTERS).map((line) => ["title", line]), ...wrapped(facts, LETTERS).map((line) => ["legend", line])];
  const parts = lines.map(([kind, line], at) => words(kind, EDGE, EDGE + 14 + 24 * at, line));
  return { parts, bottom: EDGE + 24 * lines.length + 14 };
}

function whole(bottom, ...parts) {
  const height = Math.ceil(bottom + EDGE);
  const size = { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height };
  return shape("svg", { class: "picture", ...size }, shape("rect", { class: "sheet", width: WIDTH, height }), ...parts);
}

function words(kind, x, y, text, anchor = "start") {
  return shape("text", { class: kind, x, y, "text-anchor": anchor }, text);
}

function round(number) {
  return Number(number.toFixed(2));
}
