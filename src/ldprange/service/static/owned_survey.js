/** One of the owner's surveys in the list: what it is, and what can be done with it. */

import { tell } from "./administration.js";
import { make } from "./elements.js";
import { countText } from "./units.js";

/**
 * Return a survey's entry in the list.
 *
 * @param {any} survey as the collector lists it
 * @param {(words: string) => void} changed called when something was done, with what that was
 * @param {(error: Error) => void} failed
 * @param {(survey: any) => Promise<boolean>} confirmed asks whether to delete it
 */
export function entryOf(survey, changed, failed, confirmed) {
  const { name, question, unit, epsilon, state, reports } = survey;
  const done = async (words, work) => {
    try {
      await work();
      changed(words);
    } catch (error) {
      failed(error);
    }
  };
  const change = (words, changes) => done(words, () => tell("PATCH", `surveys/${name}`, changes));
  const open = state === "open";
  const facts = [
    make("span", {}, make("strong", {}, countText(reports)), reports === 1 ? " answer" : " answers"),
    make("span", {}, open ? "open" : "closed"),
    make("span", {}, survey.public ? "results are public" : "results need a token"),
    make("span", {}, `ε = ${epsilon}`),
    ...(unit ? [make("span", {}, `in ${unit}`)] : []),
  ];
  const toggle = button(open ? "Close" : "Open again", () =>
    change(open ? "Closed. It takes no more answers." : "Open again.", { state: open ? "closed" : "open" }),
  );
  const remove = button("Delete…", async () => {
    if (await confirmed(survey)) {
      await done(`“${question}” is deleted.`, () => tell("DELETE", `surveys/${name}`));
    }
  });
  remove.classList.add("danger");
  const correction = correctionOf(survey, (changes) => change("Corrected.", changes));
  const correct = button("Correct the text", () => {
    correction.hidden = !correction.hidden;
    correct.setAttribute("aria-expanded", String(!correction.hidden));
    correction.querySelector("input").focus();
  });
  correct.setAttribute("aria-expanded", "false");
  return make(
    "li",
    { class: "card padded stack", "data-name": name },
    make("h2", {}, question),
    make("p", { class: "facts small quiet" }, ...facts),
    make(
      "p",
      { class: "facts links" },
      make("a", { href: `s/${name}` }, "Survey page"),
      make("a", { href: `d/${name}` }, "Dashboard"),
    ),
    make("div", { class: "row" }, toggle, ...(reports === 0 ? [correct] : []), remove),
    correction,
  );
}

/** Make the form in which question and unit are corrected, hidden at first. */
function correctionOf({ question, unit, name }, corrected) {
  const texts = { question: make("input", { type: "text", maxlength: "500", value: question }), unit: make("input", { type: "text", maxlength: "40", value: unit }) };
  const form = make(
    "form",
    { class: "stack", method: "dialog", autocomplete: "off", "aria-label": `Correct ${name}` },
    make("label", {}, "Question", texts.question),
    make("label", {}, "Unit", texts.unit),
    make("div", {}, make("button", { class: "button" }, "Save")),
  );
  form.hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void corrected({ question: texts.question.value, unit: texts.unit.value });
  });
  return form;
}

function button(words, pressed) {
  const made = make("button", { type: "button", class: "button plain" }, words);
  made.addEventListener("click", () => void pressed());
  return made;
}
