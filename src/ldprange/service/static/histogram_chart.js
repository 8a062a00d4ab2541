/** The picture of the histogram. Unbiased shares may fall below 0, and are drawn there. */

import { Chart, colour, domainAxis, inFrame, shareAxis } from "./chart.js";
import { numberText, shareText } from "./units.js";

/** @typedef {{ start: number, stop: number, share: number, low: number, high: number }} Bar */

export class HistogramChart extends Chart {
  #histogram = null;
  /** @type {Bar[]} */
  #bars = [];

  /**
   * @param {HTMLElement} place
   * @param {import("./units.js").Units} units
   * @param {(words: string) => void} hovered
   */
  constructor(place, units, hovered) {
    super(place, 230, {
      scales: { x: { time: false, range: [0, units.bins] }, y: { range: () => this.#range() } },
      axes: [domainAxis(units), shareAxis()],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(plot) => this.#drawBars(plot)],
        setCursor: [(plot) => hovered(this.#under(plot))],
      },
    });
    this.units = units;
  }

  update(overview) {
    const { histogram } = overview;
    this.#histogram = histogram;
    const ends = histogram.from.map((from, at) => [this.units.start(from), this.units.stop(histogram.to[at])]);
    this.width = usualWidth(ends.map(([start, stop]) => Math.round(stop - start)));
    this.#bars = ends.map(([start, stop], at) => {
      // a last bar of more or fewer bins than the others is as wide as these, and its height is per bar of the others
      const scale = this.width / (stop - start);
      const [share, low, high] = [histogram.value[at], histogram.low[at], histogram.high[at]].map((each) => each * scale);
      return { start, stop, share, low, high };
    });
    this.plot.setData([this.#bars.map(({ start }) => start), this.#bars.map(({ share }) => share)]);
    const shares = this.#bars.map(({ share }) => share);
    const most = shares.indexOf(Math.max(...shares));
    this.describe(`Share of people ${this.#perBar()}; the largest, ${shareText(histogram.value[most])}, at ${this.#name(most)}.`);
  }

  /** What is drawn, in positions. */
  get bars() {
    return this.#bars;
  }

  /**
   * What the bars show, in words.
   *
   * @param {string} sure how often an interval holds
   */
  note(sure) {
    const { start, stop } = this.#bars.at(-1);
    const odd = Math.round(stop - start) !== this.width;
    const last = odd ? `; the last bar is ${this.#name(this.#bars.length - 1)}, drawn to the same scale` : "";
    const below = this.#bars.some(({ share }) => share < 0) ? "; bars below 0 are chance" : "";
    return `${this.#perBar()}; each line is a ${sure} interval${last}${below}`;
  }

  #perBar() {
    const { kind, unit, domain, bins } = this.units;
    const width = this.width;
    switch (kind) {
      case "ordered":
        return width === 1 ? "per answer" : `per ${width} neighbouring answers`;
      case "dates":
        return width === 1 ? "per day" : `per ${width} days`;
      case "logarithmic":
        return `per bar, each ${numberText((domain.high / domain.low) ** (width / bins), { maximumSignificantDigits: 3 })} times the one before`;
      case "real": {
        const size = this.units.text((width * (domain.high - domain.low)) / bins);
        return perWidth(size, unit, "per bar of width");
      }
      default:
        return perWidth(String(width), unit, "per bar of");
    }
  }

  #range() {
    const low = Math.min(0, ...this.#bars.map((bar) => bar.low));
    const high = Math.max(0.001, ...this.#bars.map((bar) => bar.high));
    const margin = 0.04 * (high - low);
    return [low < 0 ? low - margin : 0, high + margin];
  }

  #drawBars(plot) {
    inFrame(plot, (ctx, ratio) => {
      const floor = plot.valToPos(0, "y", true);
      const across = plot.bbox.width / this.units.bins;
      const bar = across * this.width;
      const gap = bar > 5 * ratio ? ratio : 0;
      const whisker = Math.min(4 * ratio, bar / 4);
      for (const { start, stop, share, low, high } of this.#bars) {
        const left = plot.valToPos(start, "x", true);
        const right = plot.valToPos(stop, "x", true);
        const y = plot.valToPos(share, "y", true);
        ctx.fillStyle = colour("chart-bar");
        ctx.fillRect(left + gap / 2, Math.min(y, floor), Math.max(ratio, right - left - gap), Math.abs(floor - y));
        const [top, bottom, middle] = [plot.valToPos(high, "y", true), plot.valToPos(low, "y", true), (left + right) / 2];
        ctx.strokeStyle = colour("chart-whisker");
        ctx.globalAlpha = 0.6;
        ctx.lineWidth = Math.min(ratio, bar / 8); // on a phone it must not cover its bar
        ctx.beginPath();
        ctx.moveTo(middle, top);
        ctx.lineTo(middle, bottom);
        for (const end of whisker >= 3 * ratio ? [top, bottom] : []) {
          ctx.moveTo(middle - whisker, end);
          ctx.lineTo(middle + whisker, end);
        }
        ctx.stroke();
        ctx.globalAlpha = 1;
      }
      ctx.strokeStyle = colour("quiet");
      ctx.lineWidth = ratio;
      ctx.beginPath();
      ctx.moveTo(plot.bbox.left, floor);
      ctx.lineTo(plot.bbox.left + plot.bbox.width, floor);
      ctx.stroke();
    });
  }

  #name(at) {
    const { from, to } = this.#histogram;
    return from[at] === to[at] ? this.units.named(to[at]) : `${this.units.text(from[at])} to ${this.units.named(to[at])}`;
  }

  #under(plot) {
    const histogram = this.#histogram;
    if (!histogram || !(plot.cursor.left >= 0)) {
      return "";
    }
    const position = plot.posToVal(plot.cursor.left, "x");
    const at = this.#bars.findIndex(({ start, stop }) => start <= position && position < stop);
    const interval = `${shareText(histogram.low[at])} to ${shareText(histogram.high[at])}`;
    return at < 0 ? "" : `${this.#name(at)}: ${shareText(histogram.value[at])} (${interval})`;
  }
}

/** Return the width, in bins, that most bars have. */
function usualWidth(widths) {
  const times = new Map();
  for (const width of widths) {
    times.set(width, (times.get(width) ?? 0) + 1);
  }
  return [...times].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

/** Return what a bar is of: a unit is told in the plural, so that one of it cannot be said with it. */
function perWidth(size, unit, bar) {
  return unit && size !== "1" ? `per ${size} ${unit}` : `${bar} ${size}`;
}
