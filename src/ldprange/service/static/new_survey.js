/** Making a survey: what is to be asked, and what can be learnt from it, before it is made. */

import { tell } from "./administration.js";
import { the } from "./elements.js";
import { enoughText, HARDLY_ANY, pointsText, write } from "./figures.js";
import { chanceOfGuessing } from "./guessing.js";
import { Latest } from "./latest.js";
import { Unreachable } from "./requests.js";
import { countText } from "./units.js";

const QUIET = 350; // milliseconds after which what was typed is looked at

export class NewSurvey {
  /** The plan for what the form says now, or null before there is one. */
  #plan = null;
  #waiting = 0;
  #named = false;

  /** @param {(made: any) => void} made called with a survey that was made */
  constructor(made) {
    this.made = made;
    this.plans = new Latest(
      async (asked) => ({ asked, ...(await tell("POST", "plans", asked)) }),
      (found) => this.#planned(found),
      (error) => this.#unplanned(error),
    );
    the("new").addEventListener("input", (event) => this.#typed(event.target));
    the("new").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#make();
    });
    this.#showFields();
  }

  /** Look at what the form says. */
  look() {
    this.#plan = null;
    this.#showButton();
    write("new-message", "");
    const asked = askedNow();
    if (asked === null) {
      write("outlook-learnt", "Fill in what people may answer, and you’ll see here what you can learn.");
      write("outlook-told", "");
      return;
    }
    this.plans.put(asked);
  }

  #typed(field) {
    if (field.id === "new-name") {
      this.#named = field.value !== "";
    }
    if (field.id === "new-question" && !this.#named) {
      /** @type {HTMLInputElement} */ (the("new-name")).value = nameFor(field.value);
    }
    if (field.id === "new-kind") {
      this.#showFields();
    }
    if (["new-question", "new-name", "new-unit", "new-public"].includes(field.id)) {
      this.#showButton(); // the plan does not depend on these
      return;
    }
    this.#plan = null;
    this.#showButton();
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.look(), QUIET);
  }

  #showFields() {
    const kind = typed("kind");
    for (const label of document.querySelectorAll("#new [data-for]")) {
      /** @type {HTMLElement} */ (label).hidden = !label.getAttribute("data-for").split(" ").includes(kind);
    }
    const low = /** @type {HTMLInputElement} */ (the("new-low"));
    if (kind === "logarithmic" && !(Number(low.value) > 0)) {
      low.value = "1";
    }
  }

  #planned({ asked, plan, ...margin }) {
    if (JSON.stringify(asked) !== JSON.stringify(askedNow())) {
      return; // something else was typed meanwhile, and another plan is on its way
    }
    this.#plan = plan;
    write("outlook-learnt", learntText(asked.users, margin));
    write("outlook-told", toldText(asked.epsilon));
    this.#showButton();
  }

  #unplanned(error) {
    write("outlook-learnt", error instanceof Unreachable ? "The collector can’t be reached." : `You can’t ask this: ${error.message}.`);
    write("outlook-told", "");
  }

  #showButton() {
    const button = /** @type {HTMLButtonElement} */ (the("new-make"));
    button.disabled = this.#plan === null || typed("question").trim() === "" || typed("name") === "";
  }

  async #make() {
    if (/** @type {HTMLButtonElement} */ (the("new-make")).disabled) {
      return;
    }
    const unit = isAsked("unit") ? typed("unit") : "";
    const { checked } = /** @type {HTMLInputElement} */ (the("new-public"));
    const said = { name: typed("name"), question: typed("question"), unit, public: checked, plan: this.#plan };
    try {
      this.made(await tell("POST", "surveys", said));
    } catch (error) {
      write("new-message", `The survey wasn’t made: ${error.message}.`);
      return;
    }
    /** @type {HTMLFormElement} */ (the("new")).reset();
    this.#named = false;
    this.#showFields();
    this.look();
  }
}

/** Whether the form has a field for what people answer with. */
function isAsked(name) {
  return !the(`new-${name}`).closest("label").hidden;
}

function typed(name) {
  return /** @type {HTMLInputElement} */ (the(`new-${name}`)).value;
}

/** Return a number that was typed, or NaN. */
function numberTyped(name) {
  return typed(name) === "" ? NaN : Number(typed(name));
}

/** Return what is to be planned as the form says it now, or null while it is not whole. */
function askedNow() {
  const values = valuesTyped();
  const domain = values && withNoAnswer(withOpenEnds(values));
  const [epsilon, users] = [numberTyped("epsilon"), numberTyped("users")];
  return domain !== null && epsilon > 0 && users >= 1 ? { domain, epsilon, users: Math.floor(users) } : null;
}

function withOpenEnds(values) {
  const sides = isAsked("open") ? typed("open") : "";
  return sides ? { kind: "open_ends", inside: values, sides } : values;
}

function withNoAnswer(inside) {
  const { checked } = /** @type {HTMLInputElement} */ (the("new-no-answer"));
  return checked ? { kind: "no_answer", inside } : inside;
}

/** Return the domain of the values that the form describes, as plans do, or null while it is not whole. */
function valuesTyped() {
  const kind = typed("kind");
  if (kind === "dates") {
    const [first, last] = [typed("first"), typed("last")];
    return first && last ? { kind, first, last } : null;
  }
  if (kind === "ordered" || kind === "categories") {
    const labels = typed("labels").split("\n").map((label) => label.trim()).filter(Boolean);
    return labels.length > 1 ? { kind, labels } : null;
  }
  const [low, high, bins] = ["low", "high", "bins"].map(numberTyped);
  if (Number.isNaN(low) || Number.isNaN(high)) {
    return null;
  }
  return kind === "integers" ? { kind, low, high } : Number.isInteger(bins) ? { kind, low, high, bins } : null;
}

/** Return a name for a link: the question's first words, without accents. */
export function nameFor(question) {
  const plain = question.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 40).replace(/-+$/, "");
}

function learntText(users, margin) {
  const { typical, wanted } = margin;
  const enough = enoughText(users, margin);
  if (typical >= HARDLY_ANY) {
    return `${countText(users)} answers are too few to learn anything. With ${enough}, you’d know a typical range to ${pointsText(wanted)}.`;
  }
  const more = typical > wanted ? `; ${enough} would make that ${pointsText(wanted)}` : "";
  return `With ${countText(users)} answers, you’ll know a typical range to ${pointsText(typical)} (95% sure)${more}.`;
}

function toldText(epsilon) {
  const percent = Math.round(100 * chanceOfGuessing(epsilon));
  const times = percent > 99 ? "more than 99" : `about ${percent}`;
  return `Suppose someone thinks that a person gave one of two answers, each as likely as the other. At worst, the report lets them guess right ${times} times in 100; without it, 50 times.`;
}
