/** The picture of the distribution function: share up to a value, its band, and the quartiles. */

/* global uPlot */
import { Chart, colour, domainAxis, inFrame, shareAxis } from "./chart.js";
import { shareText } from "./units.js";

const MOST_STEPS = 400; // with more values than this, steps are too narrow to be seen
const BEYOND = 0.15; // how far outside 0 to 1 is drawn: early on, bands go anywhere

export class CdfChart extends Chart {
  #overview = null;

  /**
   * @param {HTMLElement} place
   * @param {import("./units.js").Units} units
   * @param {(words: string) => void} hovered tells what is under the pointer, or "" when nothing is
   */
  constructor(place, units, hovered) {
    const stepped = units.discrete && units.bins <= MOST_STEPS;
    const [held, ahead] = [1, -1].map((align) => uPlot.paths.stepped({ align }));
    const series = (paths, more = {}) => ({ width: 0, stroke: "transparent", paths, points: { show: false }, ...more });
    const line = series(stepped ? held : uPlot.paths.linear(), { width: 2, stroke: () => colour("chart-line") });
    super(place, 260, {
      scales: {
        x: { time: false, range: [0, units.bins] },
        y: { range: (_plot, low, high) => [Math.max(Math.min(0, low), -BEYOND), Math.min(Math.max(1, high), 1 + BEYOND)] },
      },
      axes: [domainAxis(units), shareAxis()],
      // inside a bin, a curve that never falls lies between what is known at the bin's two ends
      series: [{}, line, series(held), series(stepped ? held : ahead)],
      bands: [{ series: [3, 2], fill: () => colour("chart-band") }],
      hooks: {
        draw: [(plot) => this.#drawQuartiles(plot)],
        setCursor: [(plot) => hovered(this.#under(plot))],
      },
    });
    this.units = units;
    this.stepped = stepped;
  }

  update(overview) {
    this.#overview = overview;
    const { cdf, quartiles, beside } = overview;
    const columns = [cdf.value, cdf.low, cdf.high];
    const stops = cdf.to.map((value) => this.units.stop(value));
    if (this.stepped) {
      // a value's step lies over its own bin
      this.plot.setData([[0, ...stops], ...columns.map((column) => [...column, column.at(-1)])]);
    } else {
      // what is below an open end comes before the first value
      const below = ["value", "low", "high"].map((end) => (beside && this.units.before ? beside[end][0] : 0));
      this.plot.setData([[0, ...stops], ...columns.map((column, at) => [below[at], ...column])]);
    }
    const [lower, median, upper] = quartiles.value.map((value) => this.units.named(value));
    this.describe(
      `Share of people up to a value, rising from 0 to 100 percent. A quarter lie up to ${lower}, ` +
        `half up to ${median}, three quarters up to ${upper}.`,
    );
  }

  #drawQuartiles(plot) {
    if (!this.#overview) {
      return;
    }
    const { q, value } = this.#overview.quartiles;
    inFrame(plot, (ctx, ratio) => {
      ctx.strokeStyle = ctx.fillStyle = colour("ink");
      ctx.lineWidth = ratio;
      const floor = plot.valToPos(0, "y", true);
      q.forEach((share, at) => {
        if (this.units.isBeyond(value[at])) {
          return; // it has no place on the axis
        }
        const x = plot.valToPos(this.units.discrete ? this.units.start(value[at]) + 0.5 : this.units.stop(value[at]), "x", true);
        const y = plot.valToPos(share, "y", true);
        ctx.setLineDash([4 * ratio, 4 * ratio]);
        ctx.beginPath();
        ctx.moveTo(x, floor);
        ctx.lineTo(x, y);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.beginPath();
        ctx.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
        ctx.fill();
        this.#label(plot, this.units.short(value[at]), x, y, ratio);
      });
    });
  }

  /** Write beside a point of the curve, on whichever side there is room and no curve. */
  #label(plot, text, x, y, ratio) {
    const { ctx, bbox } = plot;
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    const fits = x + 12 * ratio + ctx.measureText(text).width < bbox.left + bbox.width;
    ctx.textAlign = fits ? "left" : "right";
    ctx.textBaseline = fits ? "top" : "bottom";
    const [left, top] = fits ? [x + 8 * ratio, y + 3 * ratio] : [x - 8 * ratio, y - 3 * ratio];
    ctx.save();
    ctx.strokeStyle = colour("card");
    ctx.lineWidth = 4 * ratio;
    ctx.lineJoin = "round";
    ctx.strokeText(text, left, top); // so that it can be read over lines
    ctx.restore();
    ctx.fillText(text, left, top);
  }

  #under(plot) {
    const cdf = this.#overview?.cdf;
    if (!cdf || !(plot.cursor.left >= 0)) {
      return "";
    }
    const position = plot.posToVal(plot.cursor.left, "x");
    const at = Math.min(Math.max(Math.floor((position * cdf.to.length) / this.units.bins), 0), cdf.to.length - 1);
    const interval = `${shareText(cdf.low[at])} to ${shareText(cdf.high[at])}`;
    return `up to ${this.units.named(cdf.to[at])}: ${shareText(cdf.value[at])} (${interval})`;
  }
}
