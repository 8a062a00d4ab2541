/** Bins against those that Python gave, which are in domains.json. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { domainOf } from "../domains.js";

const CASES = JSON.parse(readFileSync(new URL("domains.json", import.meta.url), "utf8"));

for (const { domain, values, bins } of CASES) {
  test(`bins of ${JSON.stringify(domain).slice(0, 80)}`, () => {
    const made = domainOf(domain);
    assert.deepEqual(values.map(made.index), bins);
    assert.equal(made.index(made.low), 0);
    assert.equal(made.index(made.high), made.bins - 1);
    assert.ok(bins.every((bin) => typeof made.label(bin) === "string"));
  });
}

test("what a form needs", () => {
  const { kind, low, high, step, bins, label } = domainOf({ kind: "integers", low: 18, high: 99 });
  assert.deepEqual({ kind, low, high, step, bins, first: label(0) }, {
    kind: "integers",
    low: 18,
    high: 99,
    step: 1,
    bins: 82,
    first: "18",
  });
  assert.equal(domainOf({ kind: "real", low: 0, high: 1, bins: 4 }).label(1), "0.25 – 0.5");
  assert.equal(domainOf({ kind: "logarithmic", low: 1, high: 100, bins: 2 }).label(1), "10 – 100");
  assert.equal(domainOf({ kind: "dates", first: "2024-02-28", last: "2024-03-01" }).label(1), "2024-02-29");
  assert.deepEqual(domainOf({ kind: "ordered", labels: ["S", "M"] }).labels, ["S", "M"]);
});

test("a product has a bin for each attribute", () => {
  const axes = [
    { kind: "integers", low: 0, high: 119 },
    { kind: "ordered", labels: ["S", "M", "L"] },
    { kind: "real", low: 0, high: 1, bins: 4 },
  ];
  const made = domainOf({ kind: "product", names: ["age", "__proto__", "share"], axes });
  assert.equal(made.bins, 120 * 3 * 4);
  assert.deepEqual(made.names, ["age", "__proto__", "share"]);
  assert.deepEqual(made.axes.map(({ kind, bins }) => [kind, bins]), [["integers", 120], ["ordered", 3], ["real", 4]]);
  assert.deepEqual(made.index(JSON.parse('{ "share": 1, "__proto__": "M", "age": 42 }')), [42, 1, 3]);
  assert.equal(made.label([42, 1, 3]), "age: 42, __proto__: M, share: 0.75 – 1");
  assert.ok(Object.isFrozen(made) && Object.isFrozen(made.names) && Object.isFrozen(made.axes));
});

test("no bin is −0", () => {
  assert.ok(Object.is(domainOf({ kind: "integers", low: 0, high: 9 }).index(-0), 0));
  assert.ok(Object.is(domainOf({ kind: "real", low: 0, high: 9, bins: 9 }).index(-0), 0));
});
