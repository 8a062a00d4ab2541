/** The two ends of the range as fields: the same as dragging, for keyboards and for exact values. */

import { make } from "./elements.js";
import { typedNumber } from "./number_field.js";

/** @typedef {{ from: import("./units.js").Value, to: import("./units.js").Value }} Range */

export class RangeForm {
  #units;
  #id;
  #message;
  /** @type {Range} */
  #range;

  /**
   * @param {HTMLElement} place
   * @param {{ id: string, legend: string, unseen?: boolean }} called what it is called, on the page and by people
   * @param {import("./units.js").Units} units
   * @param {Range} range
   * @param {(range: Range) => void} changed
   */
  constructor(place, { id, legend, unseen = false }, units, range, changed) {
    this.#id = id;
    this.#message = make("p", { id: `${id}-message`, class: "message problem small", "aria-live": "polite" });
    const form = make("fieldset", { class: "range-form" }, make("legend", { class: unseen ? "unseen" : "" }, legend));
    place.append(form);
    this.#units = units;
    this.#range = range;
    this.ends = ["from", "to"].map((end) => {
      const input = this.#input(end);
      input.addEventListener("input", () => {
        const next = this.#read(end, input);
        if (next) {
          this.#range = next;
          changed(next);
        }
      });
      form.append(make("label", {}, end === "from" ? "From" : "To", input));
      return { end, input };
    });
    form.append(this.#message);
    this.show(range);
  }

  /** @param {Range} range */
  show(range) {
    this.#range = range;
    this.#message.textContent = "";
    for (const { end, input } of this.ends) {
      if (this.#units.kind === "dates") {
        input.type = this.#units.isBeyond(range[end]) ? "text" : "date"; // a field of days cannot hold a name
      }
      input.value = this.#units.kind === "ordered" ? String(this.#units.start(range[end])) : this.#units.typed(range[end]);
      input.setAttribute("aria-invalid", "false");
    }
  }

  #input(end) {
    const { kind, domain, before, after } = this.#units;
    const wordy = before !== undefined || after !== undefined;
    const common = { id: `${this.#id}-${end}`, class: wordy ? "wordy" : "", autocomplete: "off", "aria-describedby": `${this.#id}-message` };
    if (kind === "ordered") {
      return make("select", common, ...domain.labels.map((label, at) => make("option", { value: String(at) }, label)));
    }
    if (kind === "dates") {
      return make("input", { type: "date", min: String(domain.low), max: String(domain.high), ...common });
    }
    // a field of numbers would drop the comma of 7,5; and phones' number pads have no minus and no words
    const inputmode = domain.low < 0 || wordy ? "text" : kind === "integers" ? "numeric" : "decimal";
    const input = make("input", { type: "text", inputmode, ...common });
    input.addEventListener("keydown", (event) => this.#arrow(event, end, input));
    return input;
  }

  /** An arrow goes to the next number, or where numbers have no natural step, to the next edge of a bin. */
  #arrow(event, end, input) {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) {
      return;
    }
    event.preventDefault();
    const position = this.#units.start(this.#range[end]);
    const near = Math.round(position);
    const onEdge = Math.abs(position - near) < 0.01; // what is typed is rounded
    const next = onEdge ? near + direction : direction > 0 ? Math.ceil(position) : Math.floor(position);
    const edge = this.#units.at(Math.min(Math.max(next, 0), this.#units.bins)); // of whole numbers the last one at most
    input.value = this.#units.typed(edge);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Return the range that the fields hold, or nothing, and say why. */
  #read(end, input) {
    const { kind, domain, before, after } = this.#units;
    let problem = "";
    const words = kind === "dates" || this.#units.isBeyond(input.value);
    const value = kind === "ordered" ? domain.labels[Number(input.value)] : words ? input.value : typedNumber(input.value);
    const range = { ...this.#range, [end]: value };
    try {
      if (!this.#units.isBeyond(value)) {
        domain.index(value);
      }
      if (this.#units.start(range.from) >= this.#units.stop(range.to)) {
        problem = "The range can’t end before it begins.";
      }
    } catch {
      const names = [before, after].filter(Boolean).map((name) => `, or “${name}”`);
      problem = `Each end must be from ${this.#units.text(domain.low)} to ${this.#units.named(domain.high)}${names.join("")}.`;
    }
    this.#message.textContent = problem;
    input.setAttribute("aria-invalid", String(problem !== ""));
    return problem === "" ? range : null;
  }
}
