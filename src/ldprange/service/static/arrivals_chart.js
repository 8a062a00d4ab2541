/** The picture of how many had answered by when, hour by hour: when within its hour an answer came is not kept. */

/* global uPlot */
import { Chart, colour, countAxis, timeAxis } from "./chart.js";
import { countText } from "./units.js";

const HOUR = 3600;

export class ArrivalsChart extends Chart {
  /** @param {HTMLElement} place */
  constructor(place) {
    super(place, 190, {
      padding: [10, 32, 0, 0], // the last time may stand at the very end
      scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high) * 1.05] } },
      axes: [timeAxis(), countAxis()],
      series: [
        {},
        {
          width: 2,
          stroke: () => colour("chart-line"),
          fill: () => colour("chart-band"),
          paths: uPlot.paths.stepped({ align: 1 }),
          points: { show: false },
        },
      ],
    });
  }

  update({ arrivals }) {
    const { start, reports } = arrivals;
    if (start.length === 0) {
      return;
    }
    const step = start.length > 1 ? start[1] - start[0] : HOUR;
    let total = 0;
    const totals = reports.map((each) => (total += each));
    const last = start.at(-1);
    const end = Math.max(last + 1, Math.min(last + step, Date.now() / 1000)); // each step is as long as its hours, but for the last
    this.plot.setData([[...start, end], [...totals, total]]);
    const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
    this.describe(
      `Answers over time: ${countText(total)} from ${time.format(1000 * start[0])} to ${time.format(1000 * last)}, ` +
        `the latest ${countText(reports.at(-1))} in the last ${step === HOUR ? "hour" : `${step / HOUR} hours`}.`,
    );
  }
}
