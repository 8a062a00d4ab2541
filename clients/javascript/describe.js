/** What a report says, in plain facts, for its owner. */

import { amountTold, chanceAmong, chanceOfGuessing } from "./guessing.js";
import { readPlan } from "./plan.js";
import { hexadecimal, unpack } from "./wire.js";

// how likely it is that the owner's answer is among those that fit, for somebody who knows nothing else
const IS_AMONG = { little: "may or may not be", "a hint": "may well be", much: "is very likely" };
const NUMBERS = new Intl.NumberFormat("en");
const MOST_COUNTED = 1 << 16; // answers that are gone through one by one
const MOST_NAMED = 6; // labels that are told by name
const MOST_TOLD = 1e6; // larger factors are told as powers only

/**
 * Describe a report: its bytes, its level, everything it says, and the same in short sentences, what matters most first.
 *
 * Only what any receiver of the report could find out as well is used: neither the value nor the coins.
 */
export function describe(description, bytes) {
  const plan = readPlan(description);
  const { level, facts } = unpack(plan, bytes);
  const { size, shifts, shape } = plan.levels[level];
  const mechanism = plan.mechanisms[level];
  // of several attributes a report tells only the cells of its level apart, and those are counted
  const answers = shape === undefined ? plan.domain.bins : plan.levels[level].cells;
  const likelier = likelierAnswers(answers, shape === undefined ? size : 1, mechanism, facts);
  const report = {
    bytes: bytes.length,
    hexadecimal: hexadecimal(bytes),
    fingerprint: plan.fingerprint,
    epsilon: plan.epsilon,
    level,
    levels: plan.levels.length,
    blockSize: size * shifts,
    oracle: mechanism.name,
    ...facts,
    ...(shape && { attributes: plan.domain.names.map((name, at) => ({ name, parts: shape[at] })) }),
    answers,
    likelier: likelier?.length,
  };
  const named = likelier !== undefined && likelier.length <= MOST_NAMED ? plan.domain.labels : undefined;
  const names = named && likelier.map((bin) => named[bin]);
  return { ...report, sentences: [summary(report, names), ...details(report)] };
}

/** Return the answers that make the report likelier than others do. */
function likelierAnswers(answers, size, mechanism, facts) {
  if (answers > MOST_COUNTED) {
    return undefined;
  }
  const supported = mechanism.supports(facts);
  const likelier = [];
  for (let start = 0; start < answers; start += size) {
    if (supported(start / size)) {
      for (let answer = start; answer < Math.min(start + size, answers); answer += 1) {
        likelier.push(answer);
      }
    }
  }
  return likelier;
}

/** Say what the report comes to, for whoever wants to know no more. */
function summary({ epsilon, answers, likelier, attributes }, names) {
  const tellsMuch = amountTold(chanceOfGuessing(epsilon)) === "much";
  const all = `${NUMBERS.format(answers)} ${attributes ? combined(attributes) : "possible answers"}`;
  if (likelier === undefined) {
    return tellsMuch
      ? `This report can give away which of the ${all} is yours.`
      : `This report was made with the help of chance. It fits some of the ${all} better than others; yours may or may not be one of them.`;
  }
  if (likelier === 0 || likelier === answers) {
    return "Every possible answer makes this report equally likely, so it says nothing about yours.";
  }
  const one = likelier === 1;
  const which = names ? `Of the ${all}, ${listed(names)}` : `${likelier} of the ${all}`;
  const better = `${one ? "fits" : "fit"} this report ${tellsMuch ? "far " : ""}better than the others`;
  const among = IS_AMONG[amountTold(chanceAmong(epsilon, likelier / answers))];
  return `${which} ${better}; yours ${among} ${one ? "this one" : "among them"}.`;
}

/** Say what the counted answers are, where there are several attributes: the parts of those that are asked about. */
function combined(attributes) {
  const asked = attributes.filter(({ parts }) => parts > 1);
  return asked.length === 1
    ? `parts of “${asked[0].name}”`
    : `combinations of ${joined(asked.map(({ name, parts }) => `“${name}” (${parts} parts)`))}`;
}

function listed(names) {
  return joined(names.map((name) => `“${name}”`));
}

function joined(texts) {
  return texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;
}

function details(report) {
  const where = report.levels === 1 ? "In it" : `Chance put it on level ${report.level + 1} of ${report.levels}, where`;
  return [
    `The report is ${report.bytes} bytes long and says nothing but what follows.`,
    `The first ${1 + report.fingerprint.length / 2} bytes are the same for everybody: they tell the format and the plan.`,
    `${where} ${blocks(report)}.`,
    saying(report),
    `No answer makes it more than ${factor(report.epsilon)} times as likely as another.`,
  ];
}

/** Say what counts as one answer. */
function blocks({ blockSize, shift, attributes }) {
  if (attributes !== undefined) {
    const [asked, others] = [true, false].map((wanted) => attributes.filter(({ parts }) => parts > 1 === wanted));
    const cut = joined(asked.map(({ name, parts }) => `“${name}” is cut into ${parts} parts`));
    const verb = others.length === 1 ? "is" : "are";
    return others.length === 0 ? cut : `${cut}; ${listed(others.map(({ name }) => name))} ${verb} not asked about`;
  }
  const grid = shift === undefined ? "" : `, on a grid moved by ${shift}`;
  return blockSize === 1 ? "each answer counts by itself" : `answers count in blocks of ${blockSize}${grid}`;
}

function saying({ chosen, outOf, coefficients, line, lines, symbol, symbols }) {
  if (chosen !== undefined) {
    return `It marks ${chosen.length} of ${outOf} places, drawn with the help of chance.`;
  }
  const said = `It says ${symbol}, out of 0 to ${symbols - 1}, which chance may have changed`;
  if (coefficients !== undefined) {
    return `${said}, to a question drawn by chance: number ${coefficients.join(", ")}.`;
  }
  return line === undefined ? `${said}.` : `${said}, to a question drawn by chance: number ${line} of ${lines}.`;
}

function factor(epsilon) {
  const ratio = Math.exp(epsilon);
  return ratio > MOST_TOLD ? `e^${epsilon}` : `e^${epsilon} ≈ ${Number(ratio.toPrecision(3))}`;
}
