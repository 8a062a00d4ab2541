/** The part of the owner's form that says what people may answer: once, or once for each of several attributes. */

import { the } from "./elements.js";

export class AttributeForm {
  /** @param {string} id before the ids of its fields, such as "new" */
  constructor(id) {
    const { content } = /** @type {HTMLTemplateElement} */ (the("new-attribute"));
    this.element = /** @type {HTMLElement} */ (content.cloneNode(true).firstElementChild);
    for (const field of this.element.querySelectorAll("[data-field]")) {
      field.id = `${id}-${field.getAttribute("data-field")}`;
    }
    this.#field("kind").addEventListener("input", () => this.showFields());
    this.showFields();
  }

  /** @returns {any} */
  #field(name) {
    return this.element.querySelector(`[data-field="${name}"]`);
  }

  /** Say which of `several` this is, from 1 on; an only one needs no name. */
  number(place, several) {
    this.element.querySelector("legend").textContent = several ? `Attribute ${place}` : "";
    this.element.classList.toggle("several", several);
    for (const part of this.element.querySelectorAll("[data-several]")) {
      /** @type {HTMLElement} */ (part).hidden = part.getAttribute("data-several") !== String(several);
    }
    this.showFields();
  }

  /** Show the fields of what people answer with, and no others. */
  showFields() {
    const kind = this.#typed("kind");
    const several = this.element.classList.contains("several");
    for (const label of this.element.querySelectorAll("[data-for]")) {
      const asked = label.getAttribute("data-for").split(" ").includes(kind);
      /** @type {HTMLElement} */ (label).hidden = !asked || (several && label.hasAttribute("data-alone"));
    }
    if (kind === "logarithmic" && !(Number(this.#typed("low")) > 0)) {
      this.#field("low").value = "1";
    }
  }

  /** Let `remove` be called when this attribute is not wanted any more. */
  onRemove(remove) {
    this.element.querySelector("[data-remove]").addEventListener("click", remove);
  }

  focus() {
    this.#field("called").focus();
  }

  /** What this attribute is called, where there are several. */
  get name() {
    return this.#typed("called").trim();
  }

  /** The unit of the only attribute; of several, each name has its own. */
  get unit() {
    return this.#isAsked("unit") ? this.#typed("unit") : "";
  }

  /** Return the domain that the form describes, as plans do, or null while it is not whole. */
  domain() {
    const values = this.#values();
    return values && this.#withNoAnswer(this.#withOpenEnds(values));
  }

  #withOpenEnds(values) {
    const sides = this.#isAsked("open") ? this.#typed("open") : "";
    return sides ? { kind: "open_ends", inside: values, sides } : values;
  }

  #withNoAnswer(inside) {
    return this.#field("no-answer").checked ? { kind: "no_answer", inside } : inside;
  }

  #values() {
    const kind = this.#typed("kind");
    if (kind === "dates") {
      const [first, last] = [this.#typed("first"), this.#typed("last")];
      return first && last ? { kind, first, last } : null;
    }
    if (kind === "ordered" || kind === "categories") {
      const labels = this.#typed("labels").split("\n").map((label) => label.trim()).filter(Boolean);
      return labels.length > 1 ? { kind, labels } : null;
    }
    const [low, high, bins] = ["low", "high", "bins"].map((name) => (this.#typed(name) === "" ? NaN : Number(this.#typed(name))));
    if (Number.isNaN(low) || Number.isNaN(high)) {
      return null;
    }
    return kind === "integers" ? { kind, low, high } : Number.isInteger(bins) ? { kind, low, high, bins } : null;
  }

  /** Whether there is a field for this, as what people answer with has it. */
  #isAsked(name) {
    return !this.#field(name).closest("label").hidden;
  }

  #typed(name) {
    return this.#field(name).value;
  }
}
