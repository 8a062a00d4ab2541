/**
 * Reads plans that chance has changed, made from published vectors: node fuzz_plans.js INPUTS PLANS.JSON.
 *
 * A plan is read, or refused with an error of ours (or of JSON.parse). Anything else, or ten seconds for one, is a fault, and shown.
 * The changes are the same in every run. Nothing guides them.
 */

import { readFileSync } from "node:fs";

import { LdprangeError } from "../errors.js";
import { readPlan } from "../plan.js";

const LONGEST = 10_000; // milliseconds
const ODD = [
  ..."0 -1 1 2 1e999 -0.0 1e-320 0.1 255 65536 4294967296 9007199254740993 null true [] {}".split(" "),
  ...['""', '"x"', '"\\ud800"', "[[]]", '{"kind":"integers","low":0,"high":1}', '"__proto__"', "NaN", "[1,2,3]"],
];

/** Numbers from 0 up to `bound`, the same in every run (xorshift32). */
let state = 2463534242;
const below = (bound) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % bound;
};
const one = (items) => items[below(items.length)];

/** A text with a part of it taken out, doubled, exchanged for an odd one, or for a part of another text. */
const changed = (text, others) => {
  const marks = [...text.matchAll(/"[^"]*"|[-+.0-9eE]+|true|false|null|[[\]{},:]/g)];
  if (!marks.length || below(8) === 0) {
    const at = below(text.length + 1);
    return text.slice(0, at) + String.fromCharCode(below(128)) + text.slice(at + below(3));
  }
  const { 0: found, index } = one(marks);
  const [before, after] = [text.slice(0, index), text.slice(index + found.length)];
  const other = one(others);
  const start = below(other.length + 1);
  return before + one([one(ODD), "", found + found, `${found},${found}`, other.slice(start, start + below(40))]) + after;
};

const [inputs, vectors] = [Number(process.argv[2]), process.argv[3]];
const corpus = JSON.parse(readFileSync(vectors, "utf8")).map(({ plan }) => JSON.stringify(plan));
let good = 0;
let longest = 0;

for (let input = 0; input < inputs; input += 1) {
  let text = corpus[input] ?? one(corpus);
  for (let change = input < corpus.length ? 0 : 1 + below(4); change > 0; change -= 1) {
    text = changed(text, corpus);
  }
  const began = performance.now();
  try {
    readPlan(JSON.parse(text));
    good += 1;
  } catch (error) {
    if (!(error instanceof LdprangeError || error instanceof SyntaxError)) {
      console.error(`${error.stack}\nfor the plan ${text}`);
      process.exit(1);
    }
  }
  const took = performance.now() - began;
  longest = Math.max(longest, took);
  if (took > LONGEST) {
    console.error(`it took more than ${LONGEST / 1000} seconds to read the plan ${text}`);
    process.exit(1);
  }
}
const memory = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(
  `javascript: ${inputs} inputs, of which ${good} were plans, ${memory} MB at most, the longest took ${longest.toFixed(0)} ms`,
);
