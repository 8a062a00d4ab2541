/** The owner's page: lists the surveys, makes new ones, and changes what there is. */

import { tell } from "./administration.js";
import { make, the } from "./elements.js";
import { write } from "./figures.js";
import { NewSurvey } from "./new_survey.js";
import { entryOf } from "./owned_survey.js";
import { Refused } from "./requests.js";
import { forget, keep, takeFromAddress, token } from "./token.js";
import { countText } from "./units.js";

const form = new NewSurvey((made) => void show(`Made. Share this link: ${new URL(`s/${made.name}`, location.href).href}`));
/** @type {Set<string>} surveys that are wanted on one page */
const chosen = new Set();

/** Show what there is now, and say what was done. */
async function show(words = "") {
  if (!token()) {
    askForToken("");
    return;
  }
  let surveys;
  try {
    ({ surveys } = await tell("GET", "surveys"));
  } catch (error) {
    failed(error);
    return;
  }
  the("trouble").hidden = true;
  the("token-form").hidden = true;
  the("owned").hidden = false;
  write("done", words);
  the("none").hidden = surveys.length > 0;
  const entries = surveys.map((survey) => entryOf(survey, (done) => void show(done), failed, confirmed));
  the("list").replaceChildren(...entries.reverse()); // the newest first
  showTogether(surveys.filter(({ state }) => state === "open"));
}

/** Offer the surveys that can be asked together, and the link to those that are chosen. */
function showTogether(open) {
  the("together").hidden = open.length < 2;
  const boxes = open.map(({ name, question, epsilon }) => {
    const box = make("input", { type: "checkbox", checked: chosen.has(name) });
    box.addEventListener("change", () => {
      chosen[box.checked ? "add" : "delete"](name);
      showLink(open);
    });
    return make("label", {}, box, `${question} (ε = ${epsilon})`);
  });
  the("together-choices").replaceChildren(...boxes);
  showLink(open);
}

function showLink(open) {
  const names = open.map(({ name }) => name).filter((name) => chosen.has(name));
  const total = open.filter(({ name }) => chosen.has(name)).reduce((sum, { epsilon }) => sum + epsilon, 0);
  const place = new URL(`s/${names.join("+")}`, location.href).href;
  const parts = names.length > 1 ? [make("a", { href: place }, place), ` (ε = ${Number(total.toPrecision(6))} in all)`] : [];
  the("together-link").replaceChildren(...parts);
}

/** Ask whether to delete a survey. */
function confirmed({ question, reports }) {
  const dialog = /** @type {HTMLDialogElement} */ (the("delete"));
  const answers = reports === 1 ? "1 answer" : `${countText(reports)} answers`;
  write("delete-words", `“${question}”, with ${answers}.`);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "delete"), { once: true }));
}

function askForToken(words) {
  forget();
  write("token-message", words);
  the("owned").hidden = true;
  the("token-form").hidden = false;
  the("token").focus();
}

function failed(error) {
  if (error instanceof Refused && error.status === 401) {
    askForToken("This isn’t one of this collector’s tokens. Please check it.");
    return;
  }
  write("trouble", `That didn’t work: ${error.message}.`);
  the("trouble").hidden = false;
}

takeFromAddress();
the("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (the("token"));
  keep(input.value);
  input.value = "";
  void show().then(() => form.look());
});
addEventListener("hashchange", () => takeFromAddress() && void show());
await show();
if (token()) {
  form.look();
}
