/** The field in which a person answers: of the kind that the domain asks for, in its units, and empty at first. */

import { make, messageLine } from "./elements.js";
import { numberField } from "./number_field.js";

const MOST_BUTTONS = 12; // beyond, a list is easier to use

/**
 * @typedef {object} Reading what the field holds
 * @property {import("../../../../clients/javascript/index.d.ts").Value | null} value the answer, or null if there is none that counts
 * @property {string} problem what to do about it, or "" if nothing is wrong or nothing was entered yet
 */

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => Reading} read
 * @property {() => void} look tells the problem, if there is one, beside what has it
 * @property {() => void} clear forgets the answer
 */

/**
 * Make the field. Events "input" and "change" bubble up from its element whenever what it holds may have changed.
 *
 * @param {import("./units.js").Units} units
 * @param {{ id: string, label: string }} [called] what it is called, on the page and by people
 * @returns {Field}
 */
export function makeField(units, called = { id: "answer", label: "Your answer" }) {
  const field = fieldOf(units, called);
  const message = field.element.querySelector(".message");
  const look = () => {
    const { problem } = field.read();
    if (message.textContent !== problem) {
      message.textContent = problem; // only when it changes: it is announced
    }
    field.element.querySelector(`[id="${called.id}"]`)?.setAttribute("aria-invalid", String(problem !== ""));
  };
  return { ...field, look };
}

function fieldOf(units, called) {
  switch (units.kind) {
    case "ordered":
      return units.bins <= MOST_BUTTONS ? radioField(units, called) : listField(units, called);
    case "dates":
      return dateField(units, called);
    default:
      return numberField(units, called);
  }
}

function dateField(units, { id, label }) {
  const { low, high } = units.domain;
  const input = make("input", {
    type: "date",
    id,
    min: low,
    max: high,
    required: true,
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-message`,
  });
  const message = messageLine(id);
  const hint = make("p", { id: `${id}-hint`, class: "small quiet" });
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
  const element = make("div", { class: "field" }, make("label", { for: id }, label), hint, input, message);
  return { element, read, clear: () => void (input.value = "") };
}

function radioField(units, { id, label }) {
  const buttons = units.domain.labels.map((text, index) => {
    // the name only groups them, and the value is the place in the list: the form is never submitted anywhere
    const button = make("input", { type: "radio", name: id, value: String(index), autocomplete: "off" });
    return { button, line: make("label", {}, button, make("span", {}, text)) };
  });
  const choices = make("div", { class: "choices" }, ...buttons.map(({ line }) => line));
  const element = make("fieldset", { class: "field" }, make("legend", {}, label), choices, messageLine(id));
  const read = () => {
    const index = buttons.findIndex(({ button }) => button.checked);
    return { value: index < 0 ? null : units.domain.labels[index], problem: "" };
  };
  return { element, read, clear: () => buttons.forEach(({ button }) => (button.checked = false)) };
}

function listField(units, { id, label }) {
  const options = units.domain.labels.map((text, index) => make("option", { value: String(index) }, text));
  const list = make(
    "select",
    { id, required: true, autocomplete: "off", "aria-describedby": `${id}-message` },
    make("option", { value: "", disabled: true, selected: true }, "Please choose…"),
    ...options,
  );
  const element = make("div", { class: "field" }, make("label", { for: id }, label), list, messageLine(id));
  const read = () => ({ value: list.value === "" ? null : units.domain.labels[Number(list.value)], problem: "" });
  return { element, read, clear: () => void (list.selectedIndex = 0) };
}
