/** A number to type, and a slider that moves with it: either will do. */

import { make, messageLine } from "./elements.js";
import { numberText } from "./units.js";

const MOST_STEPS = 1000; // of the slider, which only helps: any number can be typed

/**
 * @param {import("./units.js").Units} units
 * @param {{ id: string, label: string }} called
 */
export function numberField(units, { id, label }) {
  const { low, high } = units.domain;
  const whole = units.kind === "integers";
  const steps = Math.min(whole ? units.bins - 1 : MOST_STEPS, MOST_STEPS);
  const input = make("input", {
    type: "text", // a field of numbers drops the comma of 7,5 in browsers of another language, and holds 75
    id,
    inputmode: low < 0 || units.before ? "text" : whole ? "numeric" : "decimal", // phones' number pads have no minus
    required: true,
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-message`,
  });
  const slider = make("input", {
    type: "range",
    class: "unset",
    min: "0",
    max: String(Math.max(1, steps)),
    step: "1",
    autocomplete: "off",
    "aria-label": `${label}, as a slider`,
    "aria-valuetext": "nothing chosen yet",
  });
  slider.value = String(Math.round(steps / 2));
  const message = messageLine(id);
  const wanted = `${whole ? "a whole number" : "a number"} from ${units.text(low)} to ${units.named(high)}`;

  const read = () => {
    if (input.value.trim() === "") {
      return { value: null, problem: "" };
    }
    const value = typedNumber(input.value);
    const beyond = value < low ? units.before : value > high ? units.after : undefined;
    if (beyond !== undefined) {
      return { value, problem: "", note: `This counts as ${units.named(beyond)}.` };
    }
    const fits = Number.isFinite(value) && low <= value && value <= high && (!whole || Number.isInteger(value));
    return fits ? { value, problem: "" } : { value: null, problem: `Please enter ${wanted}.` };
  };
  const showOnSlider = () => {
    const { value } = read();
    slider.classList.toggle("unset", value === null);
    slider.setAttribute("aria-valuetext", value === null ? "nothing chosen yet" : units.named(value));
    if (value !== null) {
      slider.value = String(Math.round(steps * placeOf(units, inside(units, value))));
    }
  };
  input.addEventListener("input", showOnSlider);
  slider.addEventListener("input", () => {
    const value = valueAt(units, Number(slider.value) / Math.max(1, steps));
    input.value = units.typed(value);
    slider.classList.remove("unset");
    slider.setAttribute("aria-valuetext", units.named(value));
  });

  const unit = units.unit ? [make("span", { "aria-hidden": "true" }, units.unit)] : [];
  const hint = make("p", { id: `${id}-hint`, class: "small quiet" });
  hint.textContent = `${wanted[0].toUpperCase()}${wanted.slice(1)}.${stepsTold(units)}`;
  const element = make(
    "div",
    { class: "field" },
    make("label", { for: id }, units.unit ? `${label}, in ${units.unit}` : label),
    hint,
    make("div", { class: "number" }, input, ...unit),
    slider,
    make("div", { class: "ends small quiet", "aria-hidden": "true" }, span(units.text(low)), span(units.text(high))),
    message,
  );
  const clear = () => {
    input.value = "";
    slider.value = String(Math.round(steps / 2));
    showOnSlider();
  };
  return { element, read, clear };
}

/** Say what numbers are told apart, where they are grouped. */
function stepsTold({ kind, domain, bins, unit }) {
  if (kind === "integers") {
    return "";
  }
  const real = kind === "real";
  const size = real ? (domain.high - domain.low) / bins : 100 * ((domain.high / domain.low) ** (1 / bins) - 1);
  const rounded = numberText(size, { maximumSignificantDigits: real ? 3 : 2 });
  const step = real ? (unit ? `${rounded} ${unit}` : rounded) : `about ${rounded}%`;
  return ` Answers are grouped in steps of ${step}.`;
}

/** Return the number that was typed, with a decimal point or comma; NaN for what is none, as 1,000 may be one or a thousand. */
export function typedNumber(text) {
  const plain = text.trim().replace("−", "-");
  const known = /^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i.test(plain) && !/,\d{3}$/.test(plain);
  return known ? Number(plain.replace(",", ".")) : NaN;
}

function span(text) {
  return make("span", {}, text);
}

/** Return where between the ends a value lies, from 0 to 1, on a logarithmic scale if the domain is. */
function placeOf(units, value) {
  const { low, high } = units.domain;
  return units.kind === "logarithmic" ? Math.log(value / low) / Math.log(high / low) : (value - low) / Math.max(1e-300, high - low);
}

/** Return the value at such a place, as round as one would type it. */
function valueAt(units, place) {
  const { low, high } = units.domain;
  if (units.kind === "logarithmic") {
    return inside(units, Number((low * (high / low) ** place).toPrecision(2)));
  }
  const exact = low + (high - low) * place;
  return inside(units, units.kind === "integers" ? Math.round(exact) : Number(exact.toFixed(units.decimals)));
}

function inside(units, value) {
  return Math.min(Math.max(value, units.domain.low), units.domain.high);
}
