/** Coins: every word is handed out once, and decides exactly what its threshold says. */

import assert from "node:assert/strict";
import test from "node:test";

import { below, happens, SystemCoins } from "../coins.js";
import { mechanismOf } from "../oracles.js";
import { SymbolResponse } from "../randomized_response.js";
import { ScriptedCoins } from "../support/scripted_coins.js";
import { exponentialFromBelow, keepingThreshold, subsetThreshold, unaryThreshold } from "../thresholds.js";

test("system coins hand out fresh words, all of whose bits vary", () => {
  const coins = new SystemCoins();
  const words = Array.from({ length: 1000 }, () => coins.word());
  assert.ok(new Set(words).size > 990); // fails by chance less than once in 10^40 runs
  assert.equal(words.reduce((all, word) => (all | word) >>> 0, 0), 2 ** 32 - 1);
  assert.equal(words.reduce((all, word) => (all & word) >>> 0, 2 ** 32 - 1), 0);
  assert.notEqual(new SystemCoins().word() + new SystemCoins().word() / 2 ** 32, words[0] + words[1] / 2 ** 32);
});

test("an event happens below its threshold, and at it if the next word says so", () => {
  const cases = [
    [[9], [10, 0], true],
    [[10], [10, 0], false],
    [[9], [10, 4], true],
    [[10, 3], [10, 4], true],
    [[10, 4], [10, 4], false],
    [[11], [10, 4], false],
  ];
  for (const [words, thresholds, happened] of cases) {
    const coins = new ScriptedCoins(words);
    assert.equal(happens(coins, thresholds), happened, `${words} of ${thresholds}`);
    assert.equal(coins.left, 0);
  }
});

test("a response keeps the truth up to its threshold, and lies from there on", () => {
  for (const [epsilon, symbols] of [[0.1, 2], [1.1, 3], [3, 8]]) {
    const e = exponentialFromBelow(epsilon);
    const [threshold, finer] = keepingThreshold(e, symbols);
    assert.equal(finer, 0);
    const response = new SymbolResponse(symbols, e);
    const bits = 32 - Math.clz32(symbols - 2);
    for (let symbol = 0; symbol < symbols; symbol += 1) {
      const lies = Array.from({ length: symbols - 1 }, (_, other) => (bits === 0 ? [] : [other * 2 ** (32 - bits)]));
      assert.equal(response.encode(symbol, new ScriptedCoins([threshold - 1])), symbol);
      const said = lies.map((words) => response.encode(symbol, new ScriptedCoins([threshold, ...words])));
      assert.deepEqual([...said, symbol].sort(), Array.from({ length: symbols }, (_, each) => each));
    }
  }
});

test("unary encoding compares every word with its own threshold", () => {
  const [cells, e] = [3, exponentialFromBelow(1.1)];
  const [other, finer] = unaryThreshold(e);
  assert.equal(finer, 0);
  const mechanism = mechanismOf({ kind: "oue" }, { asked: cells, shifts: 1 }, e);
  for (let item = 0; item < cells; item += 1) {
    for (let bits = 0; bits < 2 ** cells; bits += 1) {
      const words = [0, 1, 2].map((cell) => (cell === item ? 2 ** 31 : other) - ((bits >> cell) & 1));
      assert.deepEqual([...mechanism.encode(item, new ScriptedCoins(words))], [bits]);
    }
  }
});

test("a subset holds its sender's cell up to its threshold, and not from there on", () => {
  const [cells, e] = [4, exponentialFromBelow(1.1)];
  const [threshold, finer] = subsetThreshold(e, cells, 1);
  assert.equal(finer, 0);
  const mechanism = mechanismOf({ kind: "subset", size: 1 }, { asked: cells, shifts: 1 }, e);
  for (let item = 0; item < cells; item += 1) {
    assert.deepEqual([...mechanism.encode(item, new ScriptedCoins([threshold - 1]))], [1 << item]);
    const [first] = mechanism.encode(item, new ScriptedCoins([threshold, 0]));
    assert.equal(first, item === 0 ? 2 : 1);
  }
});

test("a choice covers its range evenly, and a word beyond is drawn again", () => {
  for (const bound of [2, 3, 5, 8, 127, 2 ** 31 + 1]) {
    const step = 2 ** Math.clz32(bound - 1);
    for (const choice of [0, 1, bound - 1]) {
      assert.equal(below(new ScriptedCoins([choice * step]), bound), choice);
      assert.equal(below(new ScriptedCoins([choice * step + step - 1]), bound), choice);
    }
    if (bound * step < 2 ** 32) {
      const coins = new ScriptedCoins([bound * step, 0]);
      assert.equal(below(coins, bound), 0);
      assert.equal(coins.left, 0);
    }
  }
  assert.equal(below(new ScriptedCoins([]), 1), 0);
});
