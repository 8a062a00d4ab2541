/** What the owner of a report reads first: plain, and no promise that does not hold. */

import assert from "node:assert/strict";
import test from "node:test";

import { describe, exampleReport } from "../index.js";
import { stated } from "../support/stated.js";
import { pack } from "../wire.js";

const LABELS = ["never", "seldom", "often", "always", "it depends"];

function flat(domain, bins, oracle, epsilon = 1) {
  return stated({
    ldprange_plan: 1,
    domain,
    epsilon,
    decomposition: { kind: "flat" },
    branchings: [bins],
    oracles: [oracle],
    level_probabilities: [1],
  });
}

const ordered = (oracle, epsilon) => flat({ kind: "ordered", labels: LABELS }, LABELS.length, oracle, epsilon);
const read = (plan, ...payload) => describe(plan, pack(plan, 0, payload, 1)).sentences;

test("labels are named", () => {
  assert.equal(
    read(ordered({ kind: "grr" }), 2)[0],
    "Of the 5 possible answers, “often” fits this report better than the others; yours may or may not be this one.",
  );
  assert.equal(
    read(ordered({ kind: "subset", size: 2 }), 0b10010)[0],
    "Of the 5 possible answers, “seldom” and “it depends” fit this report better than the others; " +
      "yours may or may not be among them.",
  );
});

test("numbers are counted", () => {
  const domain = { kind: "integers", low: 1, high: 9 };
  assert.equal(
    read(flat(domain, 9, { kind: "oue" }), 0b111, 1)[0],
    "4 of the 9 possible answers fit this report better than the others; yours may or may not be among them.",
  );
  assert.match(read(flat(domain, 9, { kind: "oue" }), 0, 0)[0], /^Every possible answer .* equally likely/);
});

test("of several attributes the level's parts are counted", () => {
  const attributes = {
    age: { kind: "integers", low: 0, high: 15 },
    size: { kind: "ordered", labels: ["S", "M", "L"] },
    hours: { kind: "real", low: 0, high: 8, bins: 4 },
  };
  const depths = [
    [1, 0, 0],
    [2, 1, 0],
    [2, 1, 1],
  ];
  const plan = stated({
    ...flat({ kind: "product", names: Object.keys(attributes), axes: Object.values(attributes) }, 192, { kind: "grr" }),
    decomposition: { kind: "grids", trees: [[4, 4], [3], [4]], depths },
    branchings: [1, 1, 1],
    oracles: Array(3).fill({ kind: "grr" }),
    level_probabilities: [0.5, 0.25, 0.25],
  });
  const told = (level, payload) => describe(plan, pack(plan, level, payload, 1));
  const one = told(0, [3]);
  assert.equal(
    one.sentences[0],
    "1 of the 4 parts of “age” fits this report better than the others; yours may or may not be this one.",
  );
  assert.equal(
    one.sentences[3],
    "Chance put it on level 1 of 3, where “age” is cut into 4 parts; “size” and “hours” are not asked about.",
  );
  const two = told(1, [47]);
  assert.equal(
    two.sentences[0],
    "1 of the 48 combinations of “age” (16 parts) and “size” (3 parts) fits this report better than the others; " +
      "yours may or may not be this one.",
  );
  assert.match(two.sentences[3], /where “age” is cut into 16 parts and “size” is cut into 3 parts; “hours” is not asked about\.$/);
  assert.deepEqual(two.attributes, [
    { name: "age", parts: 16 },
    { name: "size", parts: 3 },
    { name: "hours", parts: 1 },
  ]);
  assert.deepEqual([two.answers, two.likelier, two.blockSize], [48, 1, 4]);
  assert.match(told(2, [1]).sentences[3], /“size” is cut into 3 parts and “hours” is cut into 4 parts\.$/);
});

test("too many to count", () => {
  const plan = (epsilon) => flat({ kind: "integers", low: 1, high: 100_000 }, 100_000, { kind: "grr" }, epsilon);
  assert.match(read(plan(1), 1, 2, 0)[0], /fits some of the 100,000 possible answers better .* may or may not be one of them\.$/);
  assert.match(read(plan(20), 1, 2, 0)[0], /can give away which of the 100,000 possible answers is yours\.$/);
});

test("nothing is promised that does not hold", () => {
  const [summary, ...details] = read(ordered({ kind: "grr" }, 15), 2);
  assert.equal(
    summary,
    "Of the 5 possible answers, “often” fits this report far better than the others; yours is very likely this one.",
  );
  const numbers = flat({ kind: "integers", low: 1, high: 5000 }, 5000, { kind: "grr" }, 5.1);
  assert.match(read(numbers, 2, 0)[0], /^1 of the 5,000 .* far better .*; yours may or may not be this one\.$/);
  const yesOrNo = (epsilon) => flat({ kind: "ordered", labels: ["yes", "no"] }, 2, { kind: "grr" }, epsilon);
  for (const [epsilon, words] of [
    [1, "“yes” fits this report better than the others; yours may or may not be this one."],
    [1.1, "“yes” fits this report better than the others; yours may well be this one."],
    [2.19, "“yes” fits this report better than the others; yours may well be this one."],
    [2.2, "“yes” fits this report far better than the others; yours is very likely this one."],
    [3, "“yes” fits this report far better than the others; yours is very likely this one."],
  ]) {
    assert.equal(read(yesOrNo(epsilon), 0)[0], `Of the 2 possible answers, ${words}`);
  }
  assert.equal(details.at(-1), "No answer makes it more than e^15 times as likely as another.");
  assert.equal(read(ordered({ kind: "grr" }), 2).at(-1), "No answer makes it more than e^1 ≈ 2.72 times as likely as another.");
});

test("examples are of all answers alike", () => {
  const plan = ordered({ kind: "grr" }, 20); // so that chance changes nothing, and the report is the answer
  const said = Array.from({ length: 500 }, () => exampleReport(plan).at(-1));
  for (const label of LABELS.keys()) {
    const times = said.filter((symbol) => symbol === label).length;
    assert.ok(40 < times && times < 160, `${times}`); // binomial with mean 100; false alarm below 1e-9
  }
});
