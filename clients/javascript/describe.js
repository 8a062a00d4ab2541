/** What a report says, in plain facts: so that its owner can read it before it is sent. */

import { readPlan } from "./plan.js";
import { hexadecimal, unpack } from "./wire.js";

const MOST_COUNTED = 1 << 16; // answers that are gone through one by one

/**
 * Describe a report: its bytes, its level, everything it says, and the same in short sentences.
 *
 * Only what any receiver of the report could find out as well is used: neither the value nor the coins.
 */
export function describe(description, bytes) {
  const plan = readPlan(description);
  const { level, facts } = unpack(plan, bytes);
  const { size, shifts } = plan.levels[level];
  const mechanism = plan.mechanisms[level];
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
    answers: plan.domain.bins,
    likelier: likelierAnswers(plan.domain.bins, size, mechanism, facts),
  };
  return { ...report, sentences: sentences(report) };
}

/** Count the answers that make the report likelier than others do. */
function likelierAnswers(bins, size, mechanism, facts) {
  if (bins > MOST_COUNTED) {
    return undefined;
  }
  const supported = mechanism.supports(facts);
  let count = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    count += supported(Math.floor(bin / size)) ? 1 : 0;
  }
  return count;
}

function sentences(report) {
  const { answers, blockSize, likelier, shift } = report;
  const grid = shift === undefined ? "" : `, on a grid moved by ${shift}`;
  const blocks = blockSize === 1 ? "each answer counts by itself" : `answers count in blocks of ${blockSize}${grid}`;
  const where = report.levels === 1 ? "In it" : `Chance put it on level ${report.level + 1} of ${report.levels}, where`;
  return [
    `The report is ${report.bytes} bytes long and says nothing but what follows.`,
    `${where} ${blocks}.`,
    saying(report),
    ...(likelier === undefined ? [] : [likelihood(likelier, answers)]),
    `No answer makes it more than e^${report.epsilon} ≈ ${ratio(report.epsilon)} times as likely as another.`,
  ];
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

function likelihood(likelier, answers) {
  if (likelier === 0 || likelier === answers) {
    return "Every possible answer makes it equally likely.";
  }
  return likelier === 1
    ? `Of the ${answers} possible answers one makes it likelier than the others do; that may be yours or not.`
    : `Of the ${answers} possible answers ${likelier} make it likelier than the others do; yours may be among them or not.`;
}

function ratio(epsilon) {
  return String(Number(Math.exp(epsilon).toPrecision(3)));
}
