/** The dashboard: asks the collector for news, and shows them. */

import { ArrivalsChart } from "./arrivals_chart.js";
import { chosenAttributes, showMenus } from "./attributes.js";
import { domainOf } from "./domains.js";
import { make, the } from "./elements.js";
import { showCount, tellsSomething, write } from "./figures.js";
import { Honesty } from "./honesty.js";
import { Latest } from "./latest.js";
import { Live } from "./live.js";
import { OneView } from "./one_view.js";
import { PairView } from "./pair_view.js";
import { ask, Refused, surveyName } from "./requests.js";
import { Saving } from "./saving.js";
import { forget, keep, takeFromAddress, token } from "./token.js";
import { Units } from "./units.js";

const QUIET = 700; // milliseconds after which a range that is being chosen is read aloud

class Dashboard {
  /** @type {any} what is drawn */
  #overview = null;
  #settings = { confidence: "0.95", denoise: "false" };
  #arrivals = null;
  /** Whether the range's share is of the answers and settings that are drawn. */
  #rangeIsFresh = false;
  #announcing = 0;
  /** The answer to the range that is chosen, once it came. */
  #range = null;

  constructor(survey) {
    this.survey = survey;
    this.view = viewOf(survey, () => this.#askRange(true));
    this.honesty = new Honesty(() => ask(survey.name, "/check", {}, token()));
    this.live = new Live(() => this.#look(), (error, wait) => this.#failed(error, wait));
    this.questions = new Latest(
      async ({ question, settings, byHand }) => {
        const parameters = [...question, ...Object.entries(settings)];
        return { ...(await ask(survey.name, "/range", parameters, token())), byHand };
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
    this.view.start();
    new Saving(this.survey, () => this.#shown());
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
    const parameters = [...this.view.about, ...Object.entries({ ...settings, ...since })];
    const overview = await ask(this.survey.name, "/overview", parameters, token());
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
    void this.honesty.look(this.#overview.reports);
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
    showCount(this.#overview, this.view.asked);
    this.view.showTiles(this.#overview);
    const told = tellsSomething(this.#overview);
    the("too-few").hidden = told;
    the("distribution").hidden = !told;
    if (told) {
      this.view.draw(this.#overview);
      this.#showTable();
    }
  }

  #askRange(byHand) {
    this.#rangeIsFresh = true;
    this.questions.put({ question: this.view.question, settings: this.#settings, byHand });
  }

  /** What can be saved: what is drawn, unless it is too little. */
  #shown() {
    const told = this.#overview?.reports > 0 && tellsSomething(this.#overview);
    return told ? { overview: this.#overview, view: this.view, range: this.#range } : null;
  }

  #showRange(answer) {
    this.#range = answer;
    const sentence = this.view.tell(answer);
    if (answer.byHand) {
      clearTimeout(this.#announcing);
      this.#announcing = setTimeout(() => write("range-announced", sentence), QUIET);
    }
  }

  #showTable() {
    if (/** @type {HTMLDetailsElement} */ (the("table-details")).open && this.#overview?.reports > 0) {
      this.view.showTable(this.#overview);
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

  /** Where two attributes cannot be shown together, one may be. */
  #offerOne() {
    const [first, second] = this.view.about;
    if (second !== undefined) {
      the("trouble").append(make("a", { href: `?${new URLSearchParams([first])}` }, `Show “${first[1]}” alone`));
    }
  }

  /** Tell of a failure; return whether to try again. */
  #failed(error, wait) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      this.#askForToken(token() ? "This isn’t one of this collector’s tokens. Please check it." : "");
      return false;
    }
    if (error instanceof Refused && error.status === 400) {
      write("trouble", `This can’t be shown. The reason: ${error.message}. `);
      this.#offerOne();
      the("trouble").hidden = false;
      this.#pulse("Nothing to show", true);
      return false;
    }
    const why = error instanceof Refused ? "The collector is busy" : "No connection";
    this.#pulse(`${why}; trying again in ${Math.round(wait)} s`, true);
    return true;
  }
}

/** Return what draws the survey's attribute or, where it has several, those that the address names. */
function viewOf({ plan, unit }, changed) {
  const domain = domainOf(plan.domain);
  if (domain.kind !== "product") {
    return new OneView(new Units(domain, unit), null, changed);
  }
  const chosen = chosenAttributes(plan, location.search);
  showMenus(plan, chosen);
  const units = chosen.map((name) => new Units(domain.axes[domain.names.indexOf(name)], ""));
  return chosen.length === 2 ? new PairView(units, chosen, changed) : new OneView(units[0], chosen[0], changed);
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
  write("question", "This dashboard can’t be shown");
  write("trouble", `The reason: ${error.message}.`);
  the("trouble").hidden = false;
}
