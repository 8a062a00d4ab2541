/** The dashboard of one attribute: histogram, distribution function, and a range across both. */

import { Brush } from "./brush.js";
import { CdfChart } from "./cdf_chart.js";
import { Chart } from "./chart.js";
import { oneRows } from "./csv.js";
import { the } from "./elements.js";
import { showQuartiles, showRange, showTable, write } from "./figures.js";
import { HistogramChart } from "./histogram_chart.js";
import { LabelBars, besideRows, haveToLie, showBeside } from "./label_bars.js";
import { onePicture } from "./picture.js";
import { RangeForm } from "./range_form.js";
import { firstRange } from "./units.js";

export class OneView {
  #overview = null;
  #charts = null;
  #changed;

  /**
   * @param {import("./units.js").Units} units
   * @param {string | null} attribute its name, where there are several
   * @param {() => void} changed when another range was chosen
   */
  constructor(units, attribute, changed) {
    this.units = units;
    this.about = attribute === null ? [] : [["attribute", attribute]];
    this.asked = units.hasOrder ? "range" : "category";
    this.range = firstRange(units);
    this.#changed = changed;
  }

  /** What to ask for the range that is chosen. */
  get question() {
    return [...this.about, ["low", String(this.range.from)], ["high", String(this.range.to)]];
  }

  start() {
    the("one-pictures").hidden = false;
    the("tiles").classList.toggle("two", !this.units.hasOrder);
    for (const part of [...document.querySelectorAll(".quartile"), the("cdf-figure")]) {
      part.hidden = !this.units.hasOrder;
    }
  }

  showTiles(overview) {
    if (this.units.hasOrder) {
      showQuartiles(overview, this.units);
    }
  }

  draw(overview) {
    this.#overview = overview;
    this.#charts ??= this.#makeCharts();
    for (const [name, chart] of Object.entries(this.#charts)) {
      chart.update(overview);
      write(`${name}-note`, this.#note(name));
    }
    showBeside(overview, this.units);
  }

  /** Tell the share of the range; return the same in a sentence. */
  tell(answer) {
    return showRange({ ...answer, from: answer.from[0], to: answer.to[0] }, this.units);
  }

  showTable(overview) {
    showTable(overview, this.units);
  }

  /** Return what is shown as the rows of a table, with the answer to the range that is chosen. */
  rows(overview, range) {
    return oneRows(overview, this.about[0]?.[1] ?? "", range);
  }

  /** Return what is shown as a picture that can be saved. */
  picture(overview, heading) {
    const { histogram, cdf } = this.#charts;
    const facts = [...this.about.map(([, name]) => name), heading.facts].join(" · ");
    const curve = cdf && { note: this.#note("cdf"), data: cdf.plot.data, stepped: cdf.stepped, quartiles: overview.quartiles };
    const { bars, rows } = histogram; // of which there are either
    const shares = { note: this.#note("histogram"), bars, rows };
    return onePicture({ ...heading, facts }, this.units, shares, curve ?? null, besideRows(overview, this.units));
  }

  #makeCharts() {
    const hovered = (name) => (words) => this.#overview && write(`${name}-note`, words || this.#note(name));
    const lying = haveToLie(this.units);
    const charts = {
      histogram: lying
        ? new LabelBars(the("histogram"), this.units)
        : new HistogramChart(the("histogram"), this.units, hovered("histogram")),
    };
    if (this.units.hasOrder) {
      charts.cdf = new CdfChart(the("cdf"), this.units, hovered("cdf"));
    }
    const brushed = ({ start, stop }) => {
      this.range = { from: this.units.lower(start), to: this.units.upper(stop - 1) };
      this.form.show(this.range);
      this.#rangeChanged();
    };
    this.brushes = Object.values(charts).filter((chart) => chart instanceof Chart).map((chart) => {
      chart.place.classList.add("brushed");
      const brush = new Brush(chart.plot, this.units.bins, brushed);
      chart.drawn = () => brush.show(this.#span());
      return brush;
    });
    the("drag-hint").hidden = this.brushes.length === 0;
    const legend = this.brushes.length === 0 ? "Range: enter its ends here" : "Range: drag across a picture, or enter its ends here";
    this.form = new RangeForm(the("range-forms"), { id: "range", legend, unseen: true }, this.units, this.range, (range) => {
      this.range = range;
      this.#rangeChanged();
    });
    return charts;
  }

  #note(name) {
    const sure = `${Math.round(100 * this.#overview.confidence)}%`;
    return name === "cdf"
      ? `the ${sure} band holds everywhere at once; dots are quartiles`
      : this.#charts.histogram.note(sure);
  }

  #rangeChanged() {
    this.brushes.forEach((brush) => brush.show(this.#span()));
    this.#changed();
  }

  #span() {
    return { start: this.units.start(this.range.from), stop: this.units.stop(this.range.to) };
  }
}
