/** Saving what the dashboard shows: as a table, as a picture, on paper. */

import { csvText } from "./csv.js";
import { the } from "./elements.js";
import { svgText } from "./picture.js";
import { countText } from "./units.js";

const SHARPNESS = 2; // pixels of a saved picture for one of its units

export class Saving {
  /**
   * @param {any} survey
   * @param {() => { overview: any, view: any, range: any } | null} shown what can be seen now, if anything can
   */
  constructor(survey, shown) {
    this.survey = survey;
    this.shown = shown;
    the("save-csv").addEventListener("click", () => this.#saveTable());
    the("save-svg").addEventListener("click", () => save(this.#name("svg"), "image/svg+xml", this.#pictureText()));
    the("save-png").addEventListener("click", () => void this.#savePixels());
    the("print").addEventListener("click", () => print());
    addEventListener("beforeprint", () => this.#draw(""));
  }

  /** Draw the picture where it is printed from; nobody sees it there on a screen. The page has its own title. */
  #draw(title) {
    const shown = this.shown();
    const drawn = shown ? [shown.view.picture(shown.overview, { title, facts: this.#facts(shown.overview) })] : [];
    the("on-paper").replaceChildren(...drawn);
    return drawn[0];
  }

  #facts({ reports, confidence, denoised }) {
    const sure = `${Math.round(100 * confidence)}% intervals`;
    const { epsilon } = this.survey.plan;
    return [`${countText(reports)} answers`, `ε = ${epsilon}`, denoised ? `${sure}, denoised` : sure, today()].join(" · ");
  }

  #pictureText() {
    return svgText(this.#draw(this.survey.question));
  }

  #saveTable() {
    const { overview, view, range } = this.shown();
    save(this.#name("csv"), "text/csv", csvText(view.rows(overview, range)));
  }

  async #savePixels() {
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.#pictureText())}`;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SHARPNESS * picture.width;
    canvas.height = SHARPNESS * picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(this.#name("png"), "image/png", blob));
  }

  #name(kind) {
    return `${this.survey.name}-${today()}.${kind}`;
  }
}

/** Return the day on this device, such as 2026-01-31. */
function today() {
  const now = new Date();
  return new Date(now.getTime() - 60_000 * now.getTimezoneOffset()).toISOString().slice(0, 10);
}

function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // once the browser has surely begun to read it
}
