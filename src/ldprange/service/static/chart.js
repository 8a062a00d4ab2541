/** What all pictures share: colours of the page, size of their place, axes. */

/* global uPlot */
import { ticksFor } from "./ticks.js";

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const LEFT = 52; // pixels for the shares, the same in every picture so that they stand in line
const RIGHT = 22;
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]; // seconds
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 5, 10, 30, 60, 90, 180, 365, 730, 1825].map((each) => each * DAY),
];

/** Return a colour of page.css, light or dark as the page is now. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A picture in its place: as wide as that, and redrawn when the colours change. */
export class Chart {
  /**
   * @param {HTMLElement} place
   * @param {number} height
   * @param {object} options of uPlot
   */
  constructor(place, height, options) {
    this.place = place;
    this.plot = new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height,
        legend: { show: false },
        padding: [10, RIGHT, 0, 0], // above, right, below, left
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
        ...options,
        hooks: { ...options.hooks, draw: [...(options.hooks?.draw ?? []), () => this.drawn()] },
      },
      [[0, 1], ...options.series.slice(1).map(() => [null, null])],
      place,
    );
    new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width > 0 && width !== this.plot.width) {
        this.plot.setSize({ width, height });
      }
    }).observe(place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plot.redraw(false));
  }

  /** Called whenever it was drawn, for whatever lies over it: only now are places on the axes known. */
  drawn() {}

  /** Say in words what the picture shows. */
  describe(words) {
    this.place.setAttribute("aria-label", words);
  }
}

function axis(options) {
  return {
    stroke: () => colour("quiet"),
    font: FONT,
    labelFont: FONT,
    grid: { stroke: () => colour("chart-grid"), width: 1 },
    ticks: { stroke: () => colour("chart-grid"), width: 1, size: 6 },
    ...options,
  };
}

/**
 * The axis of the domain's values, over positions.
 *
 * @param {import("./units.js").Units} units
 */
export function domainAxis(units) {
  let ticks = [];
  const splits = (plot) => {
    ticks = ticksFor(units, plot.width - LEFT - RIGHT, RIGHT);
    return ticks.map(({ position }) => position);
  };
  const named = units.unit ? { label: units.unit, labelSize: 20, labelGap: 0 } : {};
  return axis({ splits, values: () => ticks.map(({ text }) => text), size: 32, grid: { show: false }, ...named });
}

/** The axis of shares. */
export function shareAxis() {
  const values = (_plot, splits, _axis, _space, step) => {
    const digits = step < 0.000999 ? 2 : step < 0.00999 ? 1 : 0;
    return splits.map((share) => `${(100 * share).toFixed(digits).replace("-", "−")}%`);
  };
  return axis({ values, incrs: roundSteps(-4, 1), size: LEFT, space: 36 });
}

/** Return 1, 2 and 5 times every power of ten between two: steps whose marks read as they are. */
function roundSteps(least, most) {
  const powers = Array.from({ length: most - least + 1 }, (_, at) => least + at);
  return powers.flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
}

/** The axis of how many. */
export function countAxis() {
  const compact = new Intl.NumberFormat("en", { notation: "compact" });
  return axis({ values: (_plot, splits) => splits.map((count) => compact.format(count)), incrs: roundSteps(0, 11), size: LEFT, space: 36 });
}

/** The axis of time, in this device's zone; answers are counted by the minute, so no mark stands within one. */
export function timeAxis() {
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
  const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  const values = (_plot, splits, _axis, _space, step) =>
    splits.map((seconds) => {
      const time = new Date(1000 * seconds);
      const midnight = time.getHours() === 0 && time.getMinutes() === 0;
      return (step >= DAY || midnight ? day : minute).format(time);
    });
  return axis({ values, incrs: TIME_STEPS, size: 32, space: 78, grid: { show: false } });
}

/** Draw within the picture's frame, so that what goes beyond it is cut and not drawn over the axes. */
export function inFrame(plot, draw) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, devicePixelRatio);
  ctx.restore();
}
