/** The dashboard: asks the collector for news, and shows them. */

import { ArrivalsChart } from "./arrivals_chart.js";
import { Brush } from "./brush.js";
import { CdfChart } from "./cdf_chart.js";
import { domainOf } from "./domains.js";
import { the } from "./elements.js";
import { showRange, showTable, showTiles, tellsSomething, write } from "./figures.js";
import { HistogramChart } from "./histogram_chart.js";
import { Latest } from "./latest.js";
import { Live } from "./live.js";
import { RangeForm } from "./range_form.js";
import { ask, Refused, surveyName } from "./requests.js";
import { forget, keep, takeFromAddress, token } from "./token.js";
import { Units } from "./units.js";

const QUIET = 700; // milliseconds after which a range that is being chosen is read aloud

class Dashboard {
  /** @type {any} what is drawn */
  #overview = null;
  #settings = { confidence: "0.95", denoise: "false" };
  #charts = null;
  #arrivals = null;
  /** Whether the range's share is of the answers and settings that are drawn. */
  #rangeIsFresh = false;
  #announcing = 0;

  constructor(survey) {
    this.survey = survey;
    this.units = new Units(domainOf(survey.plan.domain), survey.unit);
    this.range = firstRange(this.units);
    this.live = new Live(() => this.#look(), (error, wait) => this.#failed(error, wait));
    this.questions = new Latest(
      async ({ range, settings, byHand }) => {
        const ends = { low: String(range.from), high: String(range.to) };
        return { ...(await ask(survey.name, "/range", { ...ends, ...settings }, token())), byHand };
      },
      (answer) => this.#showRange(answer),
      () => (this.#rangeIsFresh = false), // it is asked again with the next news
    );
  }

  start() {
    const { name, question } = this.survey;
    document.title = `${question} – dashboard`;
    write("question", question);
    const link = new URL(`../s/${name}`, location.href).href;
    the("survey-link").setAttribute("href", link);
    the("survey-link").hidden = false;
    /** @type {HTMLInputElement} */ (the("share")).value = link;
    the("only-here").hidden = !isLoopback(location.hostname);
    the("copy").addEventListener("click", () => void copy(link));
    the("confidence").addEventListener("change", (event) => this.#set({ confidence: event.target.value }));
    the("denoise").addEventListener("change", (event) => this.#set({ denoise: String(event.target.checked) }));
    the("table-details").addEventListener("toggle", () => this.#showTable());
    the("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const input = /** @type {HTMLInputElement} */ (the("token"));
      keep(input.value);
      input.value = "";
      this.live.now();
    });
    addEventListener("hashchange", () => takeFromAddress() && this.live.now());
    if (this.survey.public || token()) {
      this.#pulse("Loading…", true);
      this.live.now();
    } else {
      this.#askForToken("");
    }
  }

  #set(changes) {
    this.#settings = { ...this.#settings, ...changes };
    this.#pulse("Loading…", true);
    this.live.now();
  }

  async #look() {
    const settings = this.#settings;
    const drawn = this.#overview;
    const same = drawn !== null && drawn.settings === settings;
    const since = same ? { since: String(drawn.version) } : {};
    const overview = await ask(this.survey.name, "/overview", { ...settings, ...since }, token());
    if (settings !== this.#settings) {
      return; // it was asked for under other settings, and another is on its way
    }
    the("token-form").hidden = true;
    the("trouble").hidden = true;
    if (overview !== null) {
      this.#overview = { ...overview, settings };
      this.#rangeIsFresh = false;
      this.#draw();
    }
    const closed = this.#overview.state === "closed";
    this.#pulse(closed ? "Closed" : "Live", closed); // it may be opened again, so it is still asked for news
    if (!this.#rangeIsFresh && tellsSomething(this.#overview)) {
      this.#askRange(false);
    }
  }

  #draw() {
    const { reports, state } = this.#overview;
    write("state", state === "closed" ? "This survey is closed." : "");
    the("empty").hidden = reports > 0;
    the("figures").hidden = reports === 0;
    if (reports === 0) {
      return;
    }
    // pictures are not made before their place can be seen, and so has a size
    this.#arrivals ??= new ArrivalsChart(the("arrivals"));
    this.#arrivals.update(this.#overview);
    showTiles(this.#overview, this.units);
    const told = tellsSomething(this.#overview);
    the("too-few").hidden = told;
    the("distribution").hidden = !told;
    if (told) {
      this.#drawDistribution();
    }
  }

  #drawDistribution() {
    this.#charts ??= this.#makeCharts();
    const { histogram, cdf } = this.#charts;
    histogram.update(this.#overview);
    cdf.update(this.#overview);
    write("histogram-note", this.#note("histogram"));
    write("cdf-note", this.#note("cdf"));
    this.#showTable();
  }

  #makeCharts() {
    const hovered = (name) => (words) => this.#overview && write(`${name}-note`, words || this.#note(name));
    const histogram = new HistogramChart(the("histogram"), this.units, hovered("histogram"));
    const cdf = new CdfChart(the("cdf"), this.units, hovered("cdf"));
    const brushed = ({ start, stop }) => {
      this.range = { from: this.units.lower(start), to: this.units.upper(stop - 1) };
      this.form.show(this.range);
      this.#rangeChanged();
    };
    this.brushes = [histogram, cdf].map((chart) => {
      chart.place.classList.add("brushed");
      const brush = new Brush(chart.plot, this.units.bins, brushed);
      chart.drawn = () => brush.show(this.#span());
      return brush;
    });
    this.form = new RangeForm(the("range-form"), this.units, this.range, (range) => {
      this.range = range;
      this.#rangeChanged();
    });
    return { histogram, cdf };
  }

  #note(name) {
    const sure = `${Math.round(100 * this.#overview.confidence)}%`;
    return name === "cdf"
      ? `the ${sure} band holds everywhere at once; dots are quartiles`
      : this.#charts.histogram.note(sure);
  }

  #rangeChanged() {
    this.#showBrushes();
    this.#askRange(true);
  }

  #showBrushes() {
    this.brushes.forEach((brush) => brush.show(this.#span()));
  }

  #span() {
    return { start: this.units.start(this.range.from), stop: this.units.stop(this.range.to) };
  }

  #askRange(byHand) {
    this.#rangeIsFresh = true;
    this.questions.put({ range: this.range, settings: this.#settings, byHand });
  }

  #showRange(answer) {
    const sentence = showRange(answer, this.units);
    if (answer.byHand) {
      clearTimeout(this.#announcing);
      this.#announcing = setTimeout(() => write("range-announced", sentence), QUIET);
    }
  }

  #showTable() {
    if (/** @type {HTMLDetailsElement} */ (the("table-details")).open && this.#overview?.reports > 0) {
      showTable(this.#overview, this.units);
    }
  }

  #pulse(words, waiting) {
    the("pulse").hidden = false;
    the("pulse").classList.toggle("waiting", waiting);
    write("pulse", words);
  }

  #askForToken(words) {
    forget();
    write("token-message", words);
    this.#pulse("Waiting for a token", true);
    the("figures").hidden = true;
    the("empty").hidden = true;
    the("token-form").hidden = false;
    the("token").focus();
  }

  /** Tell of a failure; return whether to try again. */
  #failed(error, wait) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      this.#askForToken(token() ? "This token is not one of this collector’s. Please check it." : "");
      return false;
    }
    const why = error instanceof Refused ? "The collector is busy" : "No connection";
    this.#pulse(`${why}; trying again in ${Math.round(wait)} s`, true);
    return true;
  }
}

/** Return the range that is shown before one is chosen: the second quarter of the values. */
function firstRange(units) {
  const start = Math.floor(units.bins / 4);
  return { from: units.lower(start), to: units.upper(Math.max(start, Math.floor(units.bins / 2) - 1)) };
}

function isLoopback(host) {
  return /^(127\.[0-9.]+|\[::1\]|(.+\.)?localhost)$/.test(host);
}

async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    write("copied", "Copied.");
  } catch {
    /** @type {HTMLInputElement} */ (the("share")).select(); // some browsers copy only what is selected, and by hand
    write("copied", "Press Ctrl and C to copy.");
  }
}

takeFromAddress();
try {
  new Dashboard(await ask(surveyName(), "")).start();
} catch (error) {
  write("question", "This dashboard cannot be shown");
  write("trouble", `The reason: ${error.message}.`);
  the("trouble").hidden = false;
}
