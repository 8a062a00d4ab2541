/** What the package is: no dependencies, no other randomness, and files that a browser can load as they are. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const FOLDER = new URL("../", import.meta.url);
const read = (name) => readFileSync(new URL(name, FOLDER), "utf8");
const SOURCES = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));

test("no source has randomness but the platform's cryptographic one, in one place", () => {
  assert.ok(SOURCES.length > 5);
  for (const name of SOURCES) {
    assert.doesNotMatch(read(name), /Math\s*(\.\s*random|\[)/, name);
    assert.equal(/globalThis\.crypto\.getRandomValues\(/.test(read(name)), name === "coins.js", name);
  }
});

test("sources import each other alone, by plain names", () => {
  for (const name of SOURCES) {
    for (const [, from] of read(name).matchAll(/from "([^"]*)"/g)) {
      assert.match(from, /^\.\/[a-z_]+\.js$/);
      assert.ok(SOURCES.includes(from.slice(2)), `${name} imports ${from}`);
    }
    assert.doesNotMatch(read(name), /\bimport\(|\brequire\(|\bprocess\b|\beval\(/, name);
  }
});

test("files stay small", () => {
  for (const name of SOURCES) {
    assert.ok(read(name).split("\n").length <= 250, name);
  }
});

test("the package says what it is", async () => {
  const description = JSON.parse(read("package.json"));
  assert.equal(description.name, "ldprange");
  assert.equal(description.type, "module");
  assert.equal(description.dependencies, undefined);
  const byName = await import("ldprange"); // as its users import it
  const declared = [...read("index.d.ts").matchAll(/export (?:class|function) (\w+)/g)].map(([, name]) => name);
  assert.deepEqual(Object.keys(byName).sort(), declared.sort());
});
