/** The published vectors, replayed: what the versions mean, byte by byte. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Client, describe, exampleReport, LdprangeError, PlanError } from "../index.js";
import { encodeWith } from "../client.js";
import { hashed } from "../local_hashing.js";
import { canonical, fingerprintOf } from "../fingerprint.js";
import { readPlan } from "../plan.js";
import { ScriptedCoins } from "../support/scripted_coins.js";
import { stated } from "../support/stated.js";
import { hexadecimal } from "../wire.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../test_vectors/${name}`, import.meta.url), "utf8"));
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** What a report says, but for its own length and digits. */
function said(plan, bytes) {
  const { hexadecimal: _, bytes: __, sentences, ...facts } = describe(plan, bytes);
  return { ...facts, sentences: sentences.filter((sentence) => !/bytes long/.test(sentence)) };
}

const inBits = new Map(read("version_2.json").map((vector) => [vector.name, vector]));

for (const vector of read("plans.json")) {
  const plan = readPlan(vector.plan);

  test(`version 2: ${vector.name}`, () => {
    const { bits, reports, bad } = inBits.get(vector.name);
    assert.deepEqual(
      plan.mechanisms.map(({ fields }) => fields.reduce((sum, field) => sum + field.bits, 0)),
      bits,
    );
    vector.reports.forEach(({ value, words, report }, at) => {
      const made = encodeWith(plan, plan.domain.index(value), new ScriptedCoins(words), 2);
      assert.equal(hexadecimal(made), reports[at]);
      assert.deepEqual(said(vector.plan, made), said(vector.plan, bytesOf(report)));
    });
    for (const { payload, reason } of bad) {
      const refused = (thrown) => thrown instanceof LdprangeError && thrown.name === "WireError";
      assert.throws(() => describe(vector.plan, bytesOf(payload)), refused, reason);
    }
  });

  test(`levels: ${vector.name}`, () => {
    assert.equal(plan.fingerprint, vector.fingerprint);
    assert.deepEqual(plan.levelThresholds, vector.level_thresholds);
    const levels = plan.levels.map(({ cells, size, shifts, asked }, at) => ({
      cells,
      size,
      width: plan.mechanisms[at].width,
      ...(shifts > 1 ? { shifts, asked } : {}),
    }));
    assert.deepEqual(levels, vector.levels);
  });

  test(`reports: ${vector.name}`, () => {
    assert.ok(vector.reports.length > 0);
    for (const { value, words, report } of vector.reports) {
      const coins = new ScriptedCoins(words);
      assert.equal(hexadecimal(encodeWith(plan, plan.domain.index(value), coins)), report);
      assert.equal(coins.left, 0);
    }
  });

  test(`descriptions: ${vector.name}`, () => {
    for (const { report } of vector.reports) {
      const described = describe(vector.plan, bytesOf(report));
      assert.equal(described.hexadecimal, report);
      assert.equal(described.level, parseInt(report.slice(18, 20), 16));
      assert.ok(described.sentences.every((sentence) => /^[A-Z\d].*\.$/.test(sentence) && !/undefined|NaN/.test(sentence)));
    }
  });

  test(`an example: ${vector.name}`, () => {
    assert.equal(describe(vector.plan, exampleReport(vector.plan)).fingerprint, vector.fingerprint);
  });

  test(`bad payloads: ${vector.name}`, () => {
    assert.ok(vector.bad.length > 0);
    for (const { payload, error, reason } of vector.bad) {
      const refused = (thrown) => thrown instanceof LdprangeError && thrown.name === error;
      assert.throws(() => describe(vector.plan, bytesOf(payload)), refused, reason);
    }
  });
}

test("hashes", () => {
  for (const { coefficients, item, exponent, symbols, symbol } of read("hashes.json")) {
    assert.equal(hashed(coefficients, item, exponent, symbols), symbol);
  }
});

for (const { name, plan, canonical: text, fingerprint } of read("fingerprints.json")) {
  test(`fingerprint: ${name}`, () => {
    const { fingerprint: _, ...rest } = plan;
    assert.equal(canonical(rest), text);
    assert.equal(fingerprintOf(plan), fingerprint);
    assert.equal(new Client(plan).fingerprint, fingerprint);
  });
}

// Bad plans are published without a fingerprint, which a client must have: with its own, each is refused for its own reason.
const EDITED = "edited after the fingerprint was made";
for (const { reason, text } of read("bad_plans.json")) {
  test(`bad plan: ${reason}`, () => {
    let plan = text;
    try {
      plan = JSON.parse(text);
    } catch {
      // not JSON: the text itself is refused
    }
    if (plan.ldprange_plan !== undefined && plan.fingerprint === undefined) {
      plan = stated(plan);
    }
    const wrongFingerprint = ({ message }) => /^the plan's fingerprint must be/.test(message);
    assert.throws(() => new Client(plan), (error) => error instanceof PlanError && wrongFingerprint(error) === (reason === EDITED));
  });
}
