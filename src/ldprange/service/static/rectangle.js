/** Choosing a rectangle by dragging across the picture of two attributes; by finger too. It snaps to cells. */

const GRAB = 14; // pixels within which a corner is taken hold of rather than a new rectangle begun

/** @typedef {import("./heat_map.js").Span} Span */

export class Rectangle {
  #map;
  #changed;
  /** @type {[Span, Span] | null} */
  #spans = null;
  /** On each axis the end that stays while the other is dragged: the positions before and after the cell it is in. */
  #anchors = [
    { before: 0, after: 1 },
    { before: 0, after: 1 },
  ];

  /**
   * @param {import("./heat_map.js").HeatMap} map
   * @param {(spans: [Span, Span]) => void} changed
   */
  constructor(map, changed) {
    this.#map = map;
    this.#changed = changed;
    const { picture } = map;
    picture.addEventListener("pointerdown", (event) => this.#begin(event));
    picture.addEventListener("pointermove", (event) => {
      if (picture.hasPointerCapture(event.pointerId)) {
        this.#stretch(map.cellAt(event));
      }
    });
    map.stretched = (cell, first) => {
      this.#key ??= this.#anchorAt(first);
      this.#anchors = this.#key;
      this.#stretch(cell);
    };
    picture.addEventListener("keyup", (event) => event.key === "Shift" && (this.#key = null));
  }

  /** Where a rectangle began that is being stretched by keys. */
  #key = null;

  /** @param {[Span, Span]} spans in whole positions or, if they were typed, any */
  show(spans) {
    this.#spans = spans;
    this.#map.show(spans);
  }

  #anchorAt(cell) {
    return this.#map.edgesOf(cell).map(({ start, stop }) => ({ before: start, after: stop }));
  }

  #begin(event) {
    if (!event.isPrimary || event.button !== 0) {
      return;
    }
    this.#map.picture.setPointerCapture(event.pointerId);
    const at = this.#map.positionsAt(event);
    const held = this.#spans?.map((span, axis) => nearEnd(span, at[axis], this.#map.scale[axis]));
    if (held?.every((still) => still !== null)) {
      this.#anchors = held.map((still) => ({ before: still, after: still }));
    } else {
      this.#anchors = this.#anchorAt(this.#map.cellAt(event));
      this.#stretch(this.#map.cellAt(event));
    }
  }

  #stretch(cell) {
    const spans = this.#map.edgesOf(cell).map(({ start, stop }, axis) => {
      const { before, after } = this.#anchors[axis];
      if (before === after) {
        // from an end that was taken hold of, whichever side one is on now
        return start < before ? { start, stop: before } : { start: before, stop };
      }
      return { start: Math.min(before, start), stop: Math.max(after, stop) };
    });
    const same = this.#spans?.every(({ start, stop }, axis) => start === spans[axis].start && stop === spans[axis].stop);
    if (!same) {
      this.show(spans);
      this.#changed(spans);
    }
  }
}

/** Return the end that stays if a pointer takes hold of the other, or null if it is near none. */
function nearEnd({ start, stop }, position, scale) {
  const [toStart, toStop] = [start, stop].map((end) => Math.abs(position - end) * scale);
  return Math.min(toStart, toStop) > GRAB ? null : toStart < toStop ? stop : start;
}
