/** The field in which a person answers: of the kind that the domain asks for, in its units, and empty at first. */

import { make, messageLine } from "./elements.js";
import { NO_ANSWER } from "./extended_domains.js";
import { numberField } from "./number_field.js";

const MOST_BUTTONS = 12; // beyond, a list is easier to use
const RATHER_NOT = { value: NO_ANSWER, text: "I’d rather not say" };

/**
 * @typedef {object} Reading what the field holds
 * @property {import("../../../../clients/javascript/index.d.ts").Value | null} value the answer, or null if there is none that counts
 * @property {string} problem what to do about it, or "" if nothing is wrong or nothing was entered yet
 * @property {string} [note] what becomes of it, where that may not be expected
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
    const { problem, note = "" } = field.read();
    message.classList.toggle("problem", problem !== "");
    if (message.textContent !== (problem || note)) {
      message.textContent = problem || note; // only when it changes: it is announced
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
      return withChoices(dateField(units, called), units, called);
    default:
      return withChoices(numberField(units, called), units, called);
  }
}

/** Return what people may choose in place of a value, each with its words. */
function choicesBeside(units) {
  const beyond = [units.before, units.after].filter((name) => name !== undefined);
  const words = beyond.map((value) => ({ value, text: capitalised(units.named(value)) }));
  return units.mayBeNone ? [...words, RATHER_NOT] : words;
}

function capitalised(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** Return a field beside which some choices stand: whoever takes one of them clears the field, and the other way round. */
function withChoices(field, units, { id }) {
  const offered = choicesBeside(units);
  if (offered.length === 0) {
    return field;
  }
  const buttons = offered.map(({ text }, index) => radioButton(`${id}-instead`, index, text));
  const legend = make("legend", { class: "small quiet" }, offered.length === 1 ? "Or:" : "Or one of these:");
  const lines = buttons.map(({ line }) => line);
  const group = make("fieldset", { class: "instead" }, legend, make("div", { class: "choices" }, ...lines));
  const element = make("div", { class: "field-with-choices" }, field.element, group);
  const uncheck = () => buttons.forEach(({ button }) => (button.checked = false));
  field.element.addEventListener("input", uncheck);
  group.addEventListener("input", () => field.clear());
  const read = () => {
    const index = buttons.findIndex(({ button }) => button.checked);
    return index < 0 ? field.read() : { value: offered[index].value, problem: "" };
  };
  const clear = () => {
    field.clear();
    uncheck();
  };
  return { element, read, clear };
}

function radioButton(name, index, text) {
  // the name only groups them, and the value is the place in the list: the form is never submitted anywhere
  const button = make("input", { type: "radio", name, value: String(index), autocomplete: "off" });
  return { button, line: make("label", {}, button, make("span", {}, text)) };
}

function dateField(units, { id, label }) {
  const { low, high } = units.domain;
  const input = make("input", {
    type: "date",
    id,
    ...(units.before === undefined && { min: low }),
    ...(units.after === undefined && { max: high }),
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
    const beyond = inside || incomplete ? undefined : input.value < low ? units.before : units.after;
    return inside || beyond
      ? { value: input.value, problem: "", note: beyond && `This counts as ${units.text(beyond)}.` }
      : { value: null, problem: `Please choose a day from ${units.text(low)} to ${units.text(high)}.` };
  };
  const element = make("div", { class: "field" }, make("label", { for: id }, label), hint, input, message);
  return { element, read, clear: () => void (input.value = "") };
}

/** Return the labels, and no answer if there may be none, each with its words. */
function labelsOf(units) {
  return [...units.domain.labels.map((value) => ({ value, text: value })), ...choicesBeside(units)];
}

function radioField(units, { id, label }) {
  const offered = labelsOf(units);
  const buttons = offered.map(({ text }, index) => radioButton(id, index, text));
  const choices = make("div", { class: "choices" }, ...buttons.map(({ line }) => line));
  const element = make("fieldset", { class: "field" }, make("legend", {}, label), choices, messageLine(id));
  const read = () => {
    const index = buttons.findIndex(({ button }) => button.checked);
    return { value: index < 0 ? null : offered[index].value, problem: "" };
  };
  return { element, read, clear: () => buttons.forEach(({ button }) => (button.checked = false)) };
}

function listField(units, { id, label }) {
  const offered = labelsOf(units);
  const options = offered.map(({ text }, index) => make("option", { value: String(index) }, text));
  const list = make(
    "select",
    { id, required: true, autocomplete: "off", "aria-describedby": `${id}-message` },
    make("option", { value: "", disabled: true, selected: true }, "Please choose…"),
    ...options,
  );
  const element = make("div", { class: "field" }, make("label", { for: id }, label), list, messageLine(id));
  const read = () => ({ value: list.value === "" ? null : offered[Number(list.value)].value, problem: "" });
  return { element, read, clear: () => void (list.selectedIndex = 0) };
}
