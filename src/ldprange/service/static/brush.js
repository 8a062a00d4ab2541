/** Choosing a range by dragging across a picture; by finger too. It snaps to bins. */

import { make } from "./elements.js";

const GRAB = 16; // pixels within which an end is taken hold of rather than a new range begun

/**
 * A range in positions: whole numbers, 0 ≤ start < stop ≤ bins.
 *
 * @typedef {{ start: number, stop: number }} Span
 */

export class Brush {
  #plot;
  #bins;
  #changed;
  #shade = make("div", { class: "brush", hidden: true });
  /** @type {Span} */
  #span = { start: 0, stop: 1 };
  /** The end that stays while the other is dragged: the positions before and after the bin it is in. */
  #anchor = { before: 0, after: 1 };

  /**
   * @param {uPlot} plot its x axis has positions
   * @param {number} bins
   * @param {(span: Span) => void} changed
   */
  constructor(plot, bins, changed) {
    this.#plot = plot;
    this.#bins = bins;
    this.#changed = changed;
    const over = plot.over;
    over.append(this.#shade);
    over.addEventListener("pointerdown", (event) => this.#begin(event));
    over.addEventListener("pointermove", (event) => {
      if (over.hasPointerCapture(event.pointerId)) {
        this.#drag(event);
      }
    });
  }

  /** @param {Span} span in whole positions or, if it was typed, any; what is beyond open ends has no place here */
  show(span) {
    this.#span = span;
    const [left, right] = [span.start, span.stop].map((end) => this.#plot.valToPos(Math.min(Math.max(end, 0), this.#bins), "x"));
    this.#shade.style.left = `${left}px`;
    this.#shade.style.width = `${Math.max(2, right - left)}px`;
    this.#shade.hidden = false;
  }

  #begin(event) {
    if (!event.isPrimary || event.button !== 0) {
      return;
    }
    event.preventDefault();
    this.#plot.over.setPointerCapture(event.pointerId);
    const at = this.#pixel(event);
    const { start, stop } = this.#span;
    const toStart = Math.abs(at - this.#plot.valToPos(start, "x"));
    const toStop = Math.abs(at - this.#plot.valToPos(stop, "x"));
    if (Math.min(toStart, toStop) <= GRAB) {
      const still = toStart < toStop ? stop : start;
      this.#anchor = { before: still, after: still };
    } else {
      const bin = this.#bin(at);
      this.#anchor = { before: bin, after: bin + 1 };
      this.#drag(event);
    }
  }

  #drag(event) {
    const bin = this.#bin(this.#pixel(event));
    const { before, after } = this.#anchor;
    const start = Math.min(before, bin);
    const stop = Math.max(after, bin + 1);
    // from an end that was taken hold of, whichever side one is on now
    const span = before === after ? (bin < before ? { start: bin, stop: before } : { start: before, stop: bin + 1 }) : { start, stop };
    if (span.start !== this.#span.start || span.stop !== this.#span.stop) {
      this.show(span);
      this.#changed(span);
    }
  }

  #pixel(event) {
    return event.clientX - this.#plot.over.getBoundingClientRect().left;
  }

  #bin(pixel) {
    return Math.min(Math.max(Math.floor(this.#plot.posToVal(pixel, "x")), 0), this.#bins - 1);
  }
}
