/** The fields of a survey of several attributes: one for each, and together they are one answer. */

import { make } from "./elements.js";
import { makeField } from "./field.js";
import { Units } from "./units.js";

/**
 * @param {import("../../../../clients/javascript/index.d.ts").ProductDomain} domain
 * @returns {import("./field.js").Field}
 */
export function attributeFields({ names, axes }) {
  const fields = names.map((label, at) => makeField(new Units(axes[at], ""), { id: `answer-${at + 1}`, label }));
  const note = make("p", { class: "small quiet" }, "All of this is one answer, and goes into one report.");
  const element = make(
    "div",
    { class: "attributes", role: "group", "aria-labelledby": "question" },
    ...fields.map((field) => field.element),
    note,
  );
  const read = () => {
    const readings = fields.map((field) => field.read());
    const whole = readings.every(({ value }) => value !== null);
    return {
      value: whole ? Object.fromEntries(names.map((name, at) => [name, readings[at].value])) : null,
      problem: readings.map(({ problem }) => problem).find((problem) => problem !== "") ?? "",
    };
  };
  return {
    element,
    read,
    look: () => fields.forEach((field) => field.look()),
    clear: () => fields.forEach((field) => field.clear()),
  };
}
