/**
 * The survey page: a person answers, the answer is randomised here, and the report is sent, in one step.
 *
 * The answer itself lives in the field and, for an instant, in `answer`; nothing else on this page ever holds it. Its report is not
 * shown until it is sent: who could look at it first, and leave if it does not say what they said, would give the answer away by
 * staying.
 */

import { Answered, fromHexadecimal, toHexadecimal } from "./answered.js";
import { attributeFields } from "./attribute_fields.js";
import { make, the } from "./elements.js";
import { makeField } from "./field.js";
import { Client, describe, exampleReport } from "./index.js";
import { odds, promise, tellsMuch } from "./odds.js";
import { ask, Refused, surveyName, surveyPlace, Unreachable } from "./requests.js";
import { send } from "./sending.js";
import { Units } from "./units.js";

const STAGES = ["asking", "waiting", "sent", "closed"];
const EXAMPLES = 3;

/** @param {string} stage the one part of the page that is to be seen */
function show(stage) {
  for (const id of STAGES) {
    the(id).hidden = id !== stage;
  }
}

/** Tell what went wrong for good. */
function trouble(words) {
  show("");
  the("trouble").textContent = words;
  the("trouble").hidden = false;
}

/** Show a report whole: what it comes to, its bytes, and, for whoever wants to know, what they say. */
function reportElement(plan, bytes) {
  const { hexadecimal, sentences } = describe(plan, bytes);
  const [summary, ...details] = sentences;
  const code = make("code", { class: "bytes" }, hexadecimal.match(/../g).join(" "));
  const said = make("ul", { class: "small" }, ...details.map((sentence) => make("li", {}, sentence)));
  return make("div", { class: "report" }, make("p", {}, summary), code, make("details", {}, make("summary", {}, "Details"), said));
}

class SurveyPage {
  #sending = false;

  constructor(survey) {
    this.survey = survey;
    this.client = new Client(survey.plan);
    this.answered = new Answered(surveyPlace(), this.client.fingerprint);
  }

  start() {
    const { epsilon } = this.client;
    document.title = this.survey.question;
    the("question").textContent = this.survey.question;
    the("promise").replaceChildren(...promise(epsilon).map((paragraph) => make("p", {}, paragraph)));
    the("promise").classList.toggle("tells-much", tellsMuch(epsilon));
    the("odds").textContent = odds(epsilon);
    the("how").hidden = false;
    the("forgetful").hidden = this.answered.lasting;
    the("examples").addEventListener("toggle", () => this.showExamples());
    the("send").addEventListener("click", () => void this.send());
    this.answered.onChangeElsewhere(() => this.goOn());
    this.goOn();
  }

  /** Show what reports can look like, which no answer has anything to do with. */
  showExamples() {
    if (!(/** @type {HTMLDetailsElement} */ (the("examples")).open)) {
      return;
    }
    const reports = Array.from({ length: EXAMPLES }, () => exampleReport(this.survey.plan));
    the("example-reports").replaceChildren(...reports.map((bytes) => reportElement(this.survey.plan, bytes)));
  }

  /** Show the stage at which this person is. */
  goOn() {
    const memory = this.answered.recall();
    if (memory !== null) {
      the("field").replaceChildren(); // another tab may have scrambled it; what was typed here goes too
    }
    if (memory?.sent) {
      this.thank(memory);
    } else if (this.survey.state === "closed") {
      if (memory !== null) {
        the("closed-words").textContent = "It closed before this device could find out whether your report had arrived.";
      }
      show("closed");
    } else if (memory) {
      the("send").hidden = this.#sending;
      show("waiting");
    } else {
      this.askThem();
    }
  }

  askThem() {
    const { domain } = this.client;
    const field = domain.kind === "product" ? attributeFields(domain) : makeField(new Units(domain, this.survey.unit));
    const button = /** @type {HTMLButtonElement} */ (the("answer-and-send"));
    const look = () => {
      button.disabled = field.read().value === null;
      field.look();
    };
    field.element.addEventListener("input", look);
    field.element.addEventListener("change", look);
    the("asking").onsubmit = (event) => {
      event.preventDefault();
      this.answer(field);
    };
    the("field").replaceChildren(field.element);
    button.disabled = true;
    the("answered-before").hidden = !this.answered.underAnotherPlan;
    show("asking");
  }

  /** Randomise the answer, once, keep the report, forget the answer, and send the report. */
  answer(field) {
    const { value } = field.read();
    if (value === null) {
      return;
    }
    if (this.answered.recall() === null) {
      // else another tab was faster: then its report is this person's
      try {
        const report = toHexadecimal(this.client.encode(value));
        const batch = toHexadecimal(crypto.getRandomValues(new Uint8Array(16)));
        this.answered.remember({ batch, report, sent: false });
      } catch {
        // the reason is not told, for it may hold the answer
        trouble("Your answer couldn’t be scrambled on this device. Nothing was sent.");
        return;
      }
    }
    field.clear();
    the("field").replaceChildren();
    the("forgetful").hidden = this.answered.lasting;
    void this.send();
    the("waiting-heading").focus();
  }

  async send() {
    const memory = this.answered.recall();
    if (memory === null || memory.sent || this.#sending) {
      return this.goOn();
    }
    const say = (words) => void (the("sending").textContent = words);
    this.#sending = true;
    the("sending").classList.remove("problem");
    this.goOn();
    try {
      await send(surveyName(), memory.batch, fromHexadecimal(memory.report), say);
    } catch (error) {
      return this.failed(error, say);
    } finally {
      this.#sending = false;
    }
    this.answered.remember({ ...memory, sent: true });
    this.goOn();
    the("sent-heading").focus();
  }

  failed(error, say) {
    if (error instanceof Refused && error.status === 410) {
      the("closed-words").textContent = "It closed before your report arrived, so your answer wasn’t counted.";
      show("closed");
      the("closed-heading").focus();
      return;
    }
    the("sending").classList.add("problem");
    the("send").textContent = "Try again";
    the("send").hidden = false;
    say(
      error instanceof Refused
        ? `The collector didn’t accept the report: ${error.message}. It’s saved on this device.`
        : "The report couldn’t be sent, because there’s no connection. It’s saved on this device, so you can try again now or later.",
    );
  }

  thank(memory) {
    the("report-sent").replaceChildren(reportElement(this.survey.plan, fromHexadecimal(memory.report)));
    if (this.survey.public) {
      the("results-link").setAttribute("href", `../d/${this.survey.name}`);
      the("results").hidden = false;
    }
    show("sent");
  }
}

try {
  new SurveyPage(await ask(surveyName(), "")).start();
} catch (error) {
  the("question").textContent = "This survey can’t be shown";
  trouble(
    error instanceof Unreachable
      ? "Please check your connection and load the page again. Nothing was sent."
      : `Nothing was sent. The reason: ${error.message}.`,
  );
}
