/** The picture of two attributes: a cell's colour is its share, and bars at the sides are those of each attribute alone. */

import { fitted } from "./lines.js";
import { ticksFor, withEnds } from "./ticks.js";
import { shareText } from "./units.js";

const SVG = "http://www.w3.org/2000/svg";
const [LETTER, LINE] = [7, 13]; // pixels, about, of a letter and of a line on an axis
const [TOP, BOTTOM, NAME, LEAST_LEFT, MOST_LEFT] = [58, 31, 18, 30, 90]; // pixels around the cells, and a line
const [LEAST_LETTERS, MOST_LINES] = [5, 3]; // of a label below its cells
const UPRIGHT = 2.7; // marks one above another need so many times less room than beside one another
const MOST_HEIGHT = 460;

/**
 * A range in positions, on either axis.
 *
 * @typedef {{ start: number, stop: number }} Span
 */

/** Make an element of a picture. */
export function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

export class HeatMap {
  /** What is drawn: the edges of cells on both axes in positions, and the collector's table. */
  #drawn = null;
  /** @type {[Span, Span] | null} */
  #spans = null;
  #cursor = [0, 0];
  #frame = { left: 0, top: TOP, width: 1, height: 1 };
  #rectangle = shape("rect", { class: "rectangle" });
  #focus = shape("rect", { class: "focused" });

  /**
   * @param {HTMLElement} place
   * @param {[import("./units.js").Units, import("./units.js").Units]} units of the attribute across and the one upwards
   * @param {[string, string]} names
   * @param {(words: string, byKey: boolean) => void} told what a cell says, or "" when none is pointed at
   */
  constructor(place, units, names, told) {
    this.place = place;
    this.units = units;
    this.names = names;
    this.told = told;
    this.picture = shape("svg", { class: "heat", tabindex: 0, role: "application", "aria-describedby": "heat-hint" });
    place.append(this.picture);
    new ResizeObserver(() => this.#drawn && this.#draw()).observe(place);
    this.picture.addEventListener("pointermove", (event) => this.told(this.#words(this.cellAt(event)), false));
    this.picture.addEventListener("pointerleave", () => this.told("", false));
    this.picture.addEventListener("focus", () => this.#tellCursor());
    this.picture.addEventListener("blur", () => this.told("", false));
    this.picture.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Called with the cell on which the arrow keys are, when the shift key is held with them. */
  stretched(_cell, _first) {}

  update({ table, marginals }) {
    const edges = this.units.map((units, axis) => [units.extent.start, ...table.to[axis].map((to) => Math.round(units.stop(to)))]);
    this.#drawn = { edges, table, marginals };
    this.#cursor = this.#cursor.map((cell, axis) => Math.min(cell, edges[axis].length - 2));
    const most = mostOf(table.value);
    const [across, upwards] = most.cell;
    this.most = most.value;
    this.picture.setAttribute(
      "aria-label",
      `Shares of people by ${this.names[0]} and ${this.names[1]}, in ${edges[0].length - 1} by ${edges[1].length - 1} cells; ` +
        `the largest: ${this.#words([across, upwards])}.`,
    );
    this.#draw();
  }

  /** @param {[Span, Span]} spans of the chosen rectangle */
  show(spans) {
    this.#spans = spans;
    this.#placeRectangle();
  }

  /** Return the edges of a cell, in positions on both axes. */
  edgesOf(cell) {
    return cell.map((at, axis) => ({ start: this.#drawn.edges[axis][at], stop: this.#drawn.edges[axis][at + 1] }));
  }

  /** Return the cell under a pointer, or the nearest one if it is beside the cells. */
  cellAt(event) {
    return this.positionsAt(event).map((position, axis) => {
      const edges = this.#drawn.edges[axis];
      const after = edges.findIndex((edge) => edge > position);
      return after < 0 ? edges.length - 2 : Math.max(0, after - 1);
    });
  }

  /** Return where a pointer is, in positions. */
  positionsAt(event) {
    const box = this.picture.getBoundingClientRect();
    const { left, top, width, height } = this.#frame;
    const shares = [(event.clientX - box.left - left) / width, 1 - (event.clientY - box.top - top) / height];
    return shares.map((share, axis) => this.units[axis].extent.start + share * this.#length(axis));
  }

  /** Return how many pixels a position is long, on each axis. */
  get scale() {
    return [this.#frame.width / this.#length(0), this.#frame.height / this.#length(1)];
  }

  /** Return how many positions an axis has room for. */
  #length(axis) {
    const { start, stop } = this.units[axis].extent;
    return stop - start;
  }

  #x(position) {
    return this.#frame.left + this.scale[0] * (position - this.units[0].extent.start);
  }

  #y(position) {
    return this.#frame.top + this.scale[1] * (this.units[1].extent.stop - position);
  }

  /** Return a copy of the picture as it would be in a place of this width. */
  copyOf(width) {
    this.#draw(width);
    const copy = /** @type {SVGElement} */ (this.picture.cloneNode(true));
    this.#draw();
    return copy;
  }

  #draw(width = this.place.clientWidth) {
    const right = width < 480 ? 44 : 84; // for the bars
    const height = Math.min(MOST_HEIGHT, Math.max(220, Math.round(0.62 * width)));
    const axis = (UPRIGHT * height * this.units[1].bins) / this.#length(1);
    const ticks = withEnds(ticksFor(this.units[1], axis, 1e6), this.units[1], axis);
    const most = Math.max(1, Math.floor(height / (LINE * Math.max(1, ticks.length))));
    const letters = Math.floor((MOST_LEFT - 12) / LETTER);
    const upwards = ticks.map(({ position, text }) => ({ position, lines: fitted(text, letters, most) }));
    const longest = Math.max(...upwards.flatMap(({ lines }) => lines.map((line) => line.length)), 0);
    const left = NAME + Math.min(Math.max(LEAST_LEFT, LETTER * longest + 12), MOST_LEFT);
    this.#frame = { left, top: TOP, width: Math.max(60, width - left - right), height };
    const across = this.#ticksAcross();
    const bottom = BOTTOM + LINE * Math.max(...across.map(({ lines }) => lines.length), 1);
    this.picture.setAttribute("viewBox", `0 0 ${width} ${TOP + height + bottom}`);
    this.picture.setAttribute("height", String(TOP + height + bottom));
    this.picture.replaceChildren(
      ...this.#cells(),
      ...this.#bars(0, TOP - 8),
      ...this.#bars(1, right - 8),
      ...this.#axes(across, upwards, TOP + height + bottom - 8),
      this.#rectangle,
      this.#focus,
    );
    this.#placeRectangle();
    this.#placeFocus();
  }

  #cells() {
    const { edges, table } = this.#drawn;
    const [x, y] = this.units.map(({ extent }) => extent);
    const made = [shape("rect", { class: "frame", ...this.#box([x.start, y.start], [x.stop, y.stop]) })];
    table.value.forEach((column, across) =>
      column.forEach((share, upwards) => {
        const opacity = Math.min(Math.max(share / this.most, 0), 1).toFixed(3);
        const low = [edges[0][across], edges[1][upwards]];
        const high = [edges[0][across + 1], edges[1][upwards + 1]];
        made.push(shape("rect", { class: "cell", "fill-opacity": opacity, ...this.#box(low, high) }));
      }),
    );
    return made;
  }

  #box([x0, y0], [x1, y1]) {
    const [left, top] = [this.#x(x0), this.#y(y1)];
    return { x: left, y: top, width: Math.max(1, this.#x(x1) - left), height: Math.max(1, this.#y(y0) - top) };
  }

  /** The bars of one attribute: how high they are is the share for equal widths, and lines are intervals. */
  #bars(axis, room) {
    const { edges, marginals } = this.#drawn;
    const { value, low, high } = marginals[axis];
    const widths = value.map((_, at) => edges[axis][at + 1] - edges[axis][at]);
    const per = (shares) => shares.map((share, at) => share / widths[at]);
    const most = Math.max(...per(high), 1e-9);
    const long = (heights, at) => (room * Math.min(Math.max(heights[at], 0), most)) / most;
    const [values, lows, highs] = [value, low, high].map(per);
    return values.flatMap((_, at) => {
      const [begin, end] = [edges[axis][at], edges[axis][at + 1]];
      const gap = 0.5;
      const tall = long(values, at);
      if (axis === 0) {
        const [x0, x1, floor] = [this.#x(begin) + gap, this.#x(end) - gap, TOP - 6];
        const middle = (x0 + x1) / 2;
        return [
          shape("rect", { class: "side", x: x0, y: floor - tall, width: Math.max(1, x1 - x0), height: tall }),
          shape("line", { class: "whisker", x1: middle, x2: middle, y1: floor - long(lows, at), y2: floor - long(highs, at) }),
        ];
      }
      const [y0, y1, floor] = [this.#y(end) + gap, this.#y(begin) - gap, this.#frame.left + this.#frame.width + 6];
      const middle = (y0 + y1) / 2;
      return [
        shape("rect", { class: "side", x: floor, y: y0, width: tall, height: Math.max(1, y1 - y0) }),
        shape("line", { class: "whisker", y1: middle, y2: middle, x1: floor + long(lows, at), x2: floor + long(highs, at) }),
      ];
    });
  }

  /** Return the marks below the cells: of labels all, in a few lines each, if these are not too short to be read. */
  #ticksAcross() {
    const { kind, domain } = this.units[0];
    const letters = kind === "ordered" ? Math.floor(this.#frame.width / domain.labels.length / LETTER) : 0;
    if (letters < LEAST_LETTERS) {
      const axis = this.scale[0] * this.units[0].bins;
      const ticks = withEnds(ticksFor(this.units[0], axis, 20), this.units[0], axis);
      return ticks.map(({ position, text }) => ({ position, lines: [text] }));
    }
    return domain.labels.map((label, at) => ({ position: at + 0.5, lines: fitted(label, letters, MOST_LINES) }));
  }

  #axes(across, upwards, lowest) {
    const { left, top, width, height } = this.#frame;
    const below = across.map(({ position, lines }) => text(lines, this.#x(position), top + height + 16, "middle"));
    const beside = upwards.map(({ position, lines }) =>
      text(lines, left - 6, this.#y(position) + 4 - ((lines.length - 1) * LINE) / 2, "end"),
    );
    const middle = top + height / 2;
    const turned = { x: 12, y: middle, transform: `rotate(-90 12 ${middle})` };
    const named = [{ x: left + width / 2, y: lowest }, turned];
    const names = named.map((where, at) => shape("text", { class: "axis", "text-anchor": "middle", ...where }, this.names[at]));
    return [...below, ...beside, ...names];
  }

  #placeRectangle() {
    if (this.#spans !== null && this.#drawn !== null) {
      const [x, y] = this.#spans;
      place(this.#rectangle, this.#box([x.start, y.start], [x.stop, y.stop]));
    }
  }

  #placeFocus() {
    const [x, y] = this.edgesOf(this.#cursor);
    place(this.#focus, this.#box([x.start, y.start], [x.stop, y.stop]));
  }

  #words([across, upwards]) {
    const { table } = this.#drawn;
    const where = [across, upwards].map((cell, axis) => {
      const [from, to] = [table.from[axis][cell], table.to[axis][cell]].map((value) => this.units[axis].text(value));
      return `${this.names[axis]} ${from === to ? to : `${from} to ${to}`}`;
    });
    const [share, low, high] = [table.value, table.low, table.high].map((each) => shareText(each[across][upwards]));
    return `${where.join(", ")}: ${share} (${low} to ${high})`;
  }

  #tellCursor() {
    if (this.#drawn !== null) {
      this.#placeFocus();
      this.told(this.#words(this.#cursor), true);
    }
  }

  #key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (step === undefined || this.#drawn === null || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const before = this.#cursor;
    this.#cursor = before.map((cell, axis) =>
      Math.min(Math.max(cell + step[axis], 0), this.#drawn.edges[axis].length - 2),
    );
    this.#tellCursor();
    if (event.shiftKey) {
      this.stretched(this.#cursor, before);
    }
  }
}

function place(rectangle, box) {
  for (const [name, value] of Object.entries(box)) {
    rectangle.setAttribute(name, String(value));
  }
}

/** Return a text of some lines, of which the first is at y. */
function text(lines, x, y, anchor) {
  const [first, ...others] = lines;
  const below = others.map((line, at) => shape("tspan", { x, y: y + LINE * (at + 1) }, line));
  return shape("text", { x, y, "text-anchor": anchor }, first ?? "", ...below);
}

function mostOf(table) {
  let most = { value: -Infinity, cell: [0, 0] };
  table.forEach((column, across) =>
    column.forEach((value, upwards) => {
      if (value > most.value) {
        most = { value, cell: [across, upwards] };
      }
    }),
  );
  return most;
}
