/** Making a survey: what is to be asked, and what can be learnt from it, before it is made. */

import { tell } from "./administration.js";
import { AttributeForm } from "./attribute_form.js";
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
  /** @type {AttributeForm[]} */
  #attributes = [];
  #ever = 0; // attributes that there were since the form was empty

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
    the("new-add").addEventListener("click", () => {
      this.#add();
      this.#attributes.find(({ name }) => name === "").focus(); // the first one has no name yet, either
      this.look();
    });
    this.#add();
  }

  #add() {
    this.#ever += 1;
    const added = new AttributeForm(this.#ever === 1 ? "new" : `new-${this.#ever}`);
    added.onRemove(() => this.#remove(added));
    this.#attributes.push(added);
    this.#showAttributes();
  }

  #remove(attribute) {
    this.#attributes = this.#attributes.filter((each) => each !== attribute);
    this.#showAttributes();
    the("new-add").focus();
    this.look();
  }

  #showAttributes() {
    const several = this.#attributes.length > 1;
    this.#attributes.forEach((each, at) => each.number(at + 1, several));
    the("new-attributes").replaceChildren(...this.#attributes.map(({ element }) => element));
  }

  /** Look at what the form says. */
  look() {
    this.#plan = null;
    this.#showButton();
    write("new-message", "");
    const asked = this.#askedNow();
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
    if (["new-question", "new-name", "new-public"].includes(field.id) || field.dataset.field === "unit") {
      this.#showButton(); // the plan does not depend on these
      return;
    }
    this.#plan = null;
    this.#showButton();
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.look(), QUIET);
  }

  /** Return what is to be planned as the form says it now, or null while it is not whole. */
  #askedNow() {
    const [epsilon, users] = [numberTyped("epsilon"), numberTyped("users")];
    const domain = this.#domain();
    return domain !== null && epsilon > 0 && users >= 1 ? { domain, epsilon, users: Math.floor(users) } : null;
  }

  #domain() {
    const axes = this.#attributes.map((each) => each.domain());
    if (axes.length === 1 || axes.includes(null)) {
      return axes.includes(null) ? null : axes[0];
    }
    const names = this.#attributes.map(({ name }) => name);
    return names.every(Boolean) ? { kind: "product", names, axes } : null;
  }

  #planned({ asked, plan, ...margin }) {
    if (JSON.stringify(asked) !== JSON.stringify(this.#askedNow())) {
      return; // something else was typed meanwhile, and another plan is on its way
    }
    this.#plan = plan;
    const { kind } = asked.domain.inside ?? asked.domain;
    write("outlook-learnt", learntText(asked.users, margin, kind === "categories" ? "category" : "range"));
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
    const { unit } = this.#attributes[0];
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
    this.#attributes = [];
    this.#ever = 0;
    this.#add();
    this.look();
  }
}

function typed(name) {
  return /** @type {HTMLInputElement} */ (the(`new-${name}`)).value;
}

/** Return a number that was typed, or NaN. */
function numberTyped(name) {
  return typed(name) === "" ? NaN : Number(typed(name));
}

/** Return a name for a link: the question's first words, without accents. */
export function nameFor(question) {
  const plain = question.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 40).replace(/-+$/, "");
}

function learntText(users, margin, asked) {
  const { typical, wanted } = margin;
  const enough = enoughText(users, margin);
  if (typical >= HARDLY_ANY) {
    return `${countText(users)} answers are too few to learn anything. With ${enough}, you’d know a typical ${asked} to ${pointsText(wanted)}.`;
  }
  const more = typical > wanted ? `; ${enough} would make that ${pointsText(wanted)}` : "";
  return `With ${countText(users)} answers, you’ll know a typical ${asked} to ${pointsText(typical)} (95% sure)${more}.`;
}

function toldText(epsilon) {
  const percent = Math.round(100 * chanceOfGuessing(epsilon));
  const times = percent > 99 ? "more than 99" : `about ${percent}`;
  return `Suppose someone thinks that a person gave one of two answers, each as likely as the other. At worst, the report lets them guess right ${times} times in 100; without it, 50 times.`;
}
