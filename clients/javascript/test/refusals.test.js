/** What is refused, with which error: what must hold, and what came. */

import assert from "node:assert/strict";
import test from "node:test";

import { Client, describe, DomainError, MismatchError, PlanError, WireError } from "../index.js";
import { domainOf } from "../domains.js";
import { readPlan } from "../plan.js";
import { stated } from "../support/stated.js";

const oracle = { kind: "hadamard", bits: 1 };
const AGES = stated({
  ldprange_plan: 1,
  domain: { kind: "integers", low: 0, high: 119 },
  epsilon: 1.1,
  decomposition: { kind: "tree", branching: 10 },
  branchings: [10, 12],
  oracles: [oracle, oracle],
  level_probabilities: [0.5, 0.5],
});
const changed = (changes) => stated({ ...AGES, ...changes });
const flat = (domain, asked = { kind: "grr" }, epsilon = 1.1) => {
  const cells = Math.max(2, (domain.high ?? 0) - (domain.low ?? 0) + 1);
  return changed({
    domain,
    epsilon,
    decomposition: { kind: "flat" },
    branchings: [domain.labels?.length ?? domain.bins ?? cells],
    oracles: [asked],
    level_probabilities: [1],
  });
};
const windows = (widths, branchings) =>
  changed({
    decomposition: { kind: "windows", widths },
    branchings,
    oracles: branchings.map(() => oracle),
    level_probabilities: branchings.map(() => 1 / branchings.length),
  });
const PEOPLE = stated({
  ...AGES,
  domain: { kind: "product", names: ["age", "size"], axes: [AGES.domain, { kind: "ordered", labels: ["S", "M", "L"] }] },
  decomposition: { kind: "grids", trees: [[10, 12], [3]], depths: [[1, 0], [2, 1]] },
  branchings: [1, 1],
});
const people = (domain) => stated({ ...PEOPLE, domain: { ...PEOPLE.domain, ...domain } });
const grids = (changes) => stated({ ...PEOPLE, decomposition: { ...PEOPLE.decomposition, ...changes } });
const both = (asked) => changed({ oracles: [asked, asked] });

test("the plan that the others change is a good one", () => {
  assert.equal(new Client(AGES).encode(42).length, 12);
  assert.equal(new Client(flat(AGES.domain)).encode(42).length, 12);
  assert.equal(new Client(windows([7, 1], [1, 1])).domain.bins, 120);
  assert.ok([12, 13].includes(new Client(PEOPLE).encode({ age: 42, size: "M" }).length)); // the two levels differ
});

const BAD_PLANS = {
  "JSON text": JSON.stringify(AGES),
  nothing: null,
  "nothing at all": undefined,
  "a list": [AGES],
  "the version as text": changed({ ldprange_plan: "1" }),
  "no ε": changed({ epsilon: null }),
  "ε below 0": changed({ epsilon: -1 }),
  "ε without end": { ...AGES, epsilon: Infinity },
  "ε too small for the coins": changed({ epsilon: 1e-12 }),
  "ε too small for unary coins": changed({ epsilon: 1e-12, oracles: [{ kind: "oue" }, { kind: "oue" }] }),
  "ε too small for subsets": changed({ epsilon: 1e-12, oracles: Array(2).fill({ kind: "subset", size: 3 }) }),
  "no domain": changed({ domain: null }),
  "a domain with a key too many": changed({ domain: { ...AGES.domain, bins: 120 } }),
  "a domain with a key too few": changed({ domain: { kind: "integers", low: 0 } }),
  "a domain of the prototype": changed({ domain: { kind: "constructor" } }),
  "a fractional end": flat({ kind: "integers", low: 0.5, high: 9 }),
  "an end beyond 2**53": flat({ kind: "integers", low: 2 ** 53, high: 2 ** 53 }),
  "too many bins": flat({ kind: "integers", low: 0, high: 2 ** 26 }),
  "a logarithm of 0": flat({ kind: "logarithmic", low: 0, high: 10, bins: 10 }),
  "ends too far apart": flat({ kind: "real", low: -1e308, high: 1e308, bins: 10 }),
  "ends the wrong way round": flat({ kind: "real", low: 1, high: 0, bins: 10 }),
  "an end that is text": flat({ kind: "real", low: "0", high: 1, bins: 10 }),
  "half a bin": flat({ kind: "real", low: 0, high: 1, bins: 1.5 }),
  "a day that is none": flat({ kind: "dates", first: "2026-02-29", last: "2026-03-01" }),
  "a year that is none": flat({ kind: "dates", first: "0000-01-01", last: "0000-01-02" }),
  "days the wrong way round": flat({ kind: "dates", first: "2026-03-01", last: "2026-02-01" }),
  "no labels": flat({ kind: "ordered", labels: [] }),
  "labels that are one text": flat({ kind: "ordered", labels: "SML" }),
  "labels that are numbers": flat({ kind: "ordered", labels: [1, 2] }),
  "a label twice": flat({ kind: "ordered", labels: ["S", "S"] }),
  "a label with NUL": flat({ kind: "ordered", labels: ["S", "M\0"] }),
  "half a character": flat({ kind: "ordered", labels: ["S", "\ud800"] }),
  "no decomposition": changed({ decomposition: null }),
  "a tree without its branching": changed({ decomposition: { kind: "tree" } }),
  "too few leaves": changed({ branchings: [10, 10] }),
  "far too many leaves": changed({ branchings: [2 ** 20, 2 ** 20] }),
  "branchings of 1": changed({ branchings: [1, 120] }),
  "no branchings": changed({ branchings: null }),
  "branchings of another tree": changed({ decomposition: { kind: "haar" } }),
  "windows chosen by nobody": windows(null, [1]),
  "no windows": windows([], []),
  "windows that rise": windows([1, 2], [1, 1]),
  "windows that end early": windows([8, 2], [1, 1]),
  "windows as wide as the domain": windows([120, 1], [1, 1]),
  "windows with branchings": windows([8, 1], [2, 2]),
  "oracles that are no list": changed({ oracles: oracle }),
  "an oracle that is text": both("hadamard"),
  "an oracle with a key too many": both({ kind: "grr", bits: 1 }),
  "bits that nobody chose": both({ kind: "hadamard", bits: null }),
  "too many bits": both({ kind: "hadamard", bits: 5 }),
  "one symbol": both({ kind: "olh", symbols: 1 }),
  "too many symbols": both({ kind: "olh", symbols: 2 ** 16 + 1 }),
  "a subset of nothing": both({ kind: "subset", size: 0 }),
  "a subset of everything": both({ kind: "subset", size: 10 }),
  "subsets of too many cells": flat({ kind: "integers", low: 0, high: 2 ** 16 }, { kind: "subset", size: 1 }),
  "too many counters": flat({ kind: "integers", low: 0, high: 2 ** 26 - 1 }, { kind: "hadamard", bits: 4 }),
  "too many counters for all shifts": stated({
    ...windows([2 ** 25, 2 ** 24, 1], [1, 1, 1]),
    domain: { kind: "integers", low: 0, high: 2 ** 26 - 1 },
    oracles: Array(3).fill({ kind: "grr" }),
    epsilon: 9,
  }),
  "reports that fit into no request": flat({ kind: "integers", low: 1, high: 8_000_001 }, { kind: "oue" }),
  "attributes without names": people({ names: null }),
  "more names than attributes": people({ names: ["age", "size", "more"] }),
  "an attribute that is no object": people({ axes: [AGES.domain, null] }),
  "an attribute of too many bins": {
    ...people({ axes: [{ kind: "integers", low: 0, high: 2 ** 26 }, { kind: "ordered", labels: ["S", "M", "L"] }] }),
    decomposition: { kind: "grids", trees: [[2 ** 26 + 1], [3]], depths: [[0, 1], [1, 0]] },
  },
  "trees that are no list": grids({ trees: {} }),
  "a tree that is no list": grids({ trees: [120, [3]] }),
  "depths that are no list": grids({ depths: null }),
  "half a step down": grids({ depths: [[0.5, 0], [2, 1]] }),
  "a product asked as a tree": { ...PEOPLE, decomposition: AGES.decomposition, branchings: AGES.branchings },
  "a grid of too many cells": {
    ...people({ axes: Array(2).fill({ kind: "integers", low: 0, high: 2 ** 20 - 1 }) }),
    decomposition: { kind: "grids", trees: [[2 ** 20], [2 ** 20]], depths: [[1, 0], [1, 1]] },
  },
  "no probabilities": changed({ level_probabilities: null }),
  "too few probabilities": changed({ level_probabilities: [1] }),
  "a probability that is text": changed({ level_probabilities: ["0.5", 0.5] }),
};

for (const [reason, plan] of Object.entries(BAD_PLANS)) {
  test(`plan refused: ${reason}`, () => {
    assert.throws(() => new Client(plan), { name: "PlanError", message: /^(?!the plan's fingerprint).*(must|may|reads).*/ });
    assert.throws(() => new Client(plan), PlanError);
  });
}

test("a plan that a client was told to accept", () => {
  assert.equal(new Client(AGES, { maxEpsilon: AGES.epsilon, fingerprint: AGES.fingerprint }).fingerprint, AGES.fingerprint);
  assert.equal(new Client(AGES, { maxEpsilon: undefined, fingerprint: undefined }).epsilon, AGES.epsilon);
});

const NOT_ACCEPTED = {
  "more ε": [{ maxEpsilon: AGES.epsilon - 1e-9 }, /^the plan's ε must be at most .*; do not answer it$/],
  "another plan": [{ fingerprint: PEOPLE.fingerprint }, /^the plan's fingerprint must be .*; it is another plan/],
  "no fingerprint": [{ fingerprint: "" }, /^the plan's fingerprint must be /],
  "a fingerprint that is null": [{ fingerprint: null }, /^the plan's fingerprint must be /],
  "a largest ε of 0": [{ maxEpsilon: 0 }, /^maxEpsilon must be a finite number above 0/],
  "a largest ε that is no number": [{ maxEpsilon: NaN }, /^maxEpsilon must be a finite number above 0/],
  "a largest ε without end": [{ maxEpsilon: Infinity }, /^maxEpsilon must be a finite number above 0/],
  "a largest ε that is text": [{ maxEpsilon: "2" }, /^maxEpsilon must be a finite number above 0/],
  "an option in another spelling": [{ max_epsilon: 1 }, /^a client's options must be among maxEpsilon and fingerprint, got "max_epsilon"/],
  "options that are none": [2, /^a client's options must be among maxEpsilon and fingerprint, got 2/],
};

for (const [reason, [options, message]] of Object.entries(NOT_ACCEPTED)) {
  test(`plan not accepted: ${reason}`, () => {
    assert.throws(() => new Client(AGES, options), { name: "PlanError", message });
  });
}

const { fingerprint: _, ...UNSTATED } = AGES;
const WRONG_FINGERPRINTS = {
  none: UNSTATED,
  "nothing at all": { ...AGES, fingerprint: undefined },
  "a short one": { ...AGES, fingerprint: AGES.fingerprint.slice(0, 4) },
  "one in capitals": { ...AGES, fingerprint: AGES.fingerprint.toUpperCase() },
  "another plan's": { ...AGES, fingerprint: PEOPLE.fingerprint },
  "that of before the plan was edited": { ...AGES, epsilon: 1.2 },
  "that of before labels changed places": {
    ...PEOPLE,
    domain: { ...PEOPLE.domain, axes: [AGES.domain, { kind: "ordered", labels: ["M", "S", "L"] }] },
  },
};

for (const [which, plan] of Object.entries(WRONG_FINGERPRINTS)) {
  test(`fingerprint refused: ${which}`, () => {
    assert.throws(() => new Client(plan), { name: "PlanError", message: /must (be|have the keys).* got / });
    assert.throws(() => describe(plan, new Client(AGES).encode(42)), PlanError);
  });
}

const DOMAINS = {
  integers: [AGES.domain, [-1, 120, 41.5, NaN, Infinity, "42", true, null, undefined, [42], new Number(42), 42n, new Date()]],
  real: [{ kind: "real", low: -1, high: 1, bins: 10 }, [-1.0000000000000002, 1.0000000000000002, NaN, "0", false]],
  logarithmic: [{ kind: "logarithmic", low: 1, high: 100, bins: 10 }, [0, -5, 0.9999999, 100.0001, NaN, "10"]],
  dates: [
    { kind: "dates", first: "2024-02-01", last: "2024-03-31" },
    ["2024-01-31", "2024-04-01", "2024-02-30", "2024-2-1", "20240201", "2024-02-01T00:00", "", 19754, new Date(), null],
  ],
  ordered: [{ kind: "ordered", labels: ["S", "M", "L"] }, ["s", "XL", "", 0, null, ["S"], "S\0", "constructor"]],
};

test("values refused: product", () => {
  const client = new Client(PEOPLE);
  const values = [
    42,
    null,
    undefined,
    [42, "M"],
    {},
    { age: 42 },
    { age: 42, size: "M", more: 1 },
    { age: 120, size: "M" },
    { age: 42, size: "XL" },
    { age: "42", size: "M" },
    Object.create({ age: 42, size: "M" }),
  ];
  for (const value of values) {
    assert.throws(() => client.encode(value), { name: "DomainError", message: /must .*, got / });
  }
  assert.throws(() => client.encode({ age: 42, size: "XL" }), { message: /^size: the value must be among/ });
});

for (const [kind, [domain, values]] of Object.entries(DOMAINS)) {
  test(`values refused: ${kind}`, () => {
    const days = kind === "dates" ? 60 : undefined;
    const plan = days ? stated({ ...flat(domain), branchings: [days] }) : flat(domain);
    const client = new Client(plan);
    for (const value of values) {
      assert.throws(() => client.encode(value), DomainError);
      assert.throws(() => client.domain.index(value), { name: "DomainError", message: /must .*, got / });
    }
  });
}

const OPEN = { kind: "open_ends", inside: { kind: "integers", low: 0, high: 60 }, sides: "high" };
const answered = (inside) => domainOf({ kind: "no_answer", inside });

test("null is no answer where there may be none", () => {
  for (const inside of [AGES.domain, OPEN, ...Object.values(DOMAINS).map(([domain]) => domain)]) {
    const { index, bins } = answered(inside);
    assert.equal(index(null), bins - 1);
    assert.equal(index("no answer"), bins - 1);
    for (const value of [undefined, NaN, ""]) {
      assert.throws(() => index(value), { name: "DomainError", message: /"no answer"$/ });
    }
    assert.throws(() => domainOf(inside).index(null), { name: "DomainError", message: /got null/ });
  }
  const kinds = { kind: "product", names: ["wait", "size"], axes: [{ kind: "no_answer", inside: OPEN }, DOMAINS.ordered[0]] };
  assert.deepEqual(domainOf(kinds).index({ wait: null, size: "M" }), [62, 1]);
  assert.throws(() => domainOf(kinds).index({ wait: 3, size: null }), { message: /^size: .*, got null$/ });
  assert.throws(() => domainOf(kinds).index({ size: "M" }), { message: /attributes/ });
});

test("a refusal tells the words that will do, and advises no conversion to a number that nobody meant", () => {
  const refused = (domain, value, message) => assert.throws(() => domain.index(value), { message });
  refused(domainOf(AGES.domain), "42", 'the value must be a number, got "42"; convert it first, as with Number(text)');
  refused(domainOf(AGES.domain), null, "the value must be a number, got null");
  refused(domainOf(AGES.domain), " ", 'the value must be a number, got " "');
  refused(domainOf(OPEN), -1, 'the value must lie between 0 and 60, got -1; these words will do, too: "more than 60"');
  refused(answered(OPEN), "x", 'the value must be a number, got "x"; these words will do, too: "more than 60", "no answer"');
  const days = { kind: "open_ends", inside: DOMAINS.dates[0], sides: "low" };
  refused(answered(days), "x", /got "x"; these words will do, too: "before 2024-02-01", "no answer"$/);
});

test("reports refused", () => {
  const bytes = new Client(AGES).encode(42);
  assert.throws(() => describe(AGES, Array.from(bytes)), WireError);
  assert.throws(() => describe(AGES, "0123"), WireError);
  assert.throws(() => describe(changed({ epsilon: 1.2 }), bytes), MismatchError);
  assert.throws(() => describe(AGES, Uint8Array.of(...bytes, 0)), WireError);
});

test("a client cannot be changed, nor by changing the plan it was made from", () => {
  const plan = structuredClone(AGES);
  const client = new Client(plan);
  plan.epsilon = 100;
  plan.domain.high = 5;
  assert.equal(client.encode(42).length, 12);
  assert.throws(() => {
    client.epsilon = 100;
  }, TypeError);
  assert.throws(() => {
    client.domain.low = -5;
  }, TypeError);
});

test("without a cryptographic generator there is no report", () => {
  const client = new Client(AGES);
  const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    assert.throws(() => client.encode(42), { name: "LdprangeError", message: /getRandomValues/ });
  } finally {
    Object.defineProperty(globalThis, "crypto", kept);
  }
});

test("reading a plan leaves it alone", () => {
  const before = JSON.stringify(AGES);
  readPlan(AGES);
  assert.equal(JSON.stringify(AGES), before);
});
