/**
 * Several surveys on one page: each in a frame of its own, so that each has its own report and its own memory of it.
 *
 * What they tell together is the sum of what each tells: whoever has all reports of a person knows that much.
 */

import { make, the } from "./elements.js";
import { amountTold, chanceOfGuessing } from "./guessing.js";
import { ask } from "./requests.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five"];

/** Say what reports tell together, in words that promise no more than holds. */
function showPromise(epsilons) {
  const total = Number(epsilons.reduce((sum, each) => sum + each, 0).toPrecision(6));
  const chance = chanceOfGuessing(total);
  const much = amountTold(chance) === "much";
  const percent = Math.round(100 * chance);
  const times = percent > 99 ? "more than 99" : `about ${percent}`;
  const words = [
    "Each answer is scrambled on this device and sent as a separate report. You can answer some questions and skip others.",
    `If you answer all of them, your reports add up to ε = ${epsilons.join(" + ")} = ${total}. Suppose someone thinks that you gave one of ` +
      `two sets of answers, each as likely as the other. At worst, your reports together let them guess right ${times} times in 100; without them, 50 times.`,
  ];
  const advice = much ? ["Together they can give your answers away. Answer only what you’d be happy to tell openly."] : [];
  the("promise").append(...[...words, ...advice].map((each) => make("p", {}, each)));
  the("promise").classList.toggle("tells-much", much);
  the("promise").hidden = false;
}

/** Make a survey's frame, as high as what is in it. */
function frameOf({ name, question }) {
  const frame = make("iframe", { src: name, title: question, height: "600" });
  frame.addEventListener("load", () => {
    const inside = frame.contentDocument.body;
    new ResizeObserver(() => (frame.height = String(Math.ceil(inside.getBoundingClientRect().height)))).observe(inside);
  });
  return frame;
}

const names = decodeURIComponent(location.pathname.split("/").pop() ?? "").split("+");
try {
  const surveys = await Promise.all(names.map((name) => ask(name, "")));
  const number = NUMBERS[surveys.length];
  the("heading").textContent = `${number[0].toUpperCase()}${number.slice(1)} questions`;
  document.title = surveys.map(({ question }) => question).join(" ");
  showPromise(surveys.map(({ plan }) => plan.epsilon));
  the("questions").append(...surveys.map(frameOf));
} catch (error) {
  the("heading").textContent = "This page can’t be shown";
  the("trouble").textContent = `The reason: ${error.message}.`;
  the("trouble").hidden = false;
}
