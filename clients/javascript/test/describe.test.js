/** What the owner of a report reads first: plain, and no promise that does not hold. */

import assert from "node:assert/strict";
import test from "node:test";

import { describe } from "../index.js";
import { pack } from "../wire.js";

const FINGERPRINT = "0123456789abcdef";
const LABELS = ["never", "seldom", "often", "always", "it depends"];

function flat(domain, bins, oracle, epsilon = 1) {
  return {
    ldprange_plan: 1,
    domain,
    epsilon,
    decomposition: { kind: "flat" },
    branchings: [bins],
    oracles: [oracle],
    level_probabilities: [1],
    fingerprint: FINGERPRINT,
  };
}

const ordered = (oracle, epsilon) => flat({ kind: "ordered", labels: LABELS }, LABELS.length, oracle, epsilon);
const read = (plan, ...payload) => describe(plan, pack(FINGERPRINT, 0, payload)).sentences;

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

test("too many to count", () => {
  const plan = (epsilon) => flat({ kind: "integers", low: 1, high: 100_000 }, 100_000, { kind: "grr" }, epsilon);
  assert.match(read(plan(1), 1, 2, 0)[0], /nobody can be sure which of the 100,000 possible answers is yours\.$/);
  assert.match(read(plan(20), 1, 2, 0)[0], /can practically give away which of the 100,000 possible answers is yours\.$/);
});

test("nothing is promised that does not hold", () => {
  const [summary, ...details] = read(ordered({ kind: "grr" }, 15), 2);
  assert.equal(
    summary,
    "Of the 5 possible answers, “often” fits this report far better than the others; yours is very likely this one.",
  );
  const numbers = flat({ kind: "integers", low: 1, high: 5000 }, 5000, { kind: "grr" }, 5.1);
  assert.match(read(numbers, 2, 0)[0], /^1 of the 5,000 .* far better .*; yours may well be this one\.$/);
  assert.equal(details.at(-1), "No answer makes it more than e^15 times as likely as another.");
  assert.equal(read(ordered({ kind: "grr" }), 2).at(-1), "No answer makes it more than e^1 ≈ 2.72 times as likely as another.");
});
