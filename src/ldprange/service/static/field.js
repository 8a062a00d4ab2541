/** The field in which a person answers: of the kind that the domain asks for, in its units, and empty at first. */

import { make, messageLine } from "./elements.js";
import { numberField } from "./number_field.js";

const MOST_BUTTONS = 12; // beyond, a list is easier to use

/**
 * @typedef {object} Reading what the field holds
 * @property {number | string | null} value the answer, or null if there is none that counts
 * @property {string} problem what to do about it, or "" if nothing is wrong or nothing was entered yet
 */

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => Reading} read
 * @property {() => void} clear forgets the answer
 */

/**
 * Make the field. Events "input" and "change" bubble up from its element whenever what it holds may have changed.
 *
 * @param {import("./units.js").Units} units
 * @returns {Field}
 */
export function makeField(units) {
  switch (units.kind) {
    case "ordered":
      return units.bins <= MOST_BUTTONS ? radioField(units) : listField(units);
    case "dates":
      return dateField(units);
    default:
      return numberField(units);
  }
}

function dateField(units) {
  const { low, high } = units.domain;
  const input = make("input", {
    type: "date",
    id: "answer",
    min: low,
    max: high,
    required: true,
    autocomplete: "off",
    "aria-describedby": "answer-hint answer-message",
  });
  const message = messageLine();
  const hint = make("p", { id: "answer-hint", class: "small quiet" });
  hint.textContent = `From ${units.text(low)} to ${units.text(high)}.`;
  const read = () => {
    const incomplete = input.validity.badInput;
    if (input.value === "" && !incomplete) {
      return { value: null, problem: "" };
    }
    const inside = !incomplete && low <= input.value && input.value <= high;
    return inside
      ? { value: input.value, problem: "" }
      : { value: null, problem: `Please choose a day from ${units.text(low)} to ${units.text(high)}.` };
  };
  const element = make("div", { class: "field" }, make("label", { for: "answer" }, "Your answer"), hint, input, message);
  return { element, read, clear: () => void (input.value = "") };
}

function radioField(units) {
  const buttons = units.domain.labels.map((label, index) => {
    // the name only groups them, and the value is the place in the list: the form is never submitted anywhere
    const button = make("input", { type: "radio", name: "answer", value: String(index), autocomplete: "off" });
    return { button, line: make("label", {}, button, make("span", {}, label)) };
  });
  const choices = make("div", { class: "choices" }, ...buttons.map(({ line }) => line));
  const element = make("fieldset", { class: "field" }, make("legend", {}, "Your answer"), choices, messageLine());
  const read = () => {
    const index = buttons.findIndex(({ button }) => button.checked);
    return { value: index < 0 ? null : units.domain.labels[index], problem: "" };
  };
  return { element, read, clear: () => buttons.forEach(({ button }) => (button.checked = false)) };
}

function listField(units) {
  const options = units.domain.labels.map((label, index) => make("option", { value: String(index) }, label));
  const list = make(
    "select",
    { id: "answer", required: true, autocomplete: "off", "aria-describedby": "answer-message" },
    make("option", { value: "", disabled: true, selected: true }, "Please choose…"),
    ...options,
  );
  const element = make("div", { class: "field" }, make("label", { for: "answer" }, "Your answer"), list, messageLine());
  const read = () => ({ value: list.value === "" ? null : units.domain.labels[Number(list.value)], problem: "" });
  return { element, read, clear: () => void (list.selectedIndex = 0) };
}
