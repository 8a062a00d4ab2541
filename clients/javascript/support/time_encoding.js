/**
 * How long encoding takes, for benchmarks/timing.py: node time_encoding.js RUNS, with
 * `{oracle, cells, epsilon}` on standard input.
 *
 * Prints the nanoseconds of every run, for the first cell, the last and one in the middle, and which reports of the first
 * support it.
 */

import { readFileSync } from "node:fs";

import { SystemCoins } from "../coins.js";
import { mechanismOf } from "../oracles.js";
import { exponentialFromBelow } from "../thresholds.js";

const WARMING = 20_000; // until everything is compiled

function timed(mechanism, items, runs) {
  const times = items.map(() => new Float64Array(runs));
  const reports = [];
  for (let run = -WARMING; run < runs; run += 1) {
    for (let step = 0; step < items.length; step += 1) {
      const place = (run + WARMING + step) % items.length; // none is always the first
      const coins = new SystemCoins();
      coins.word(); // the pool is read, which a client has done by then to choose a level
      const begin = process.hrtime.bigint();
      const report = mechanism.encode(items[place], coins);
      const took = Number(process.hrtime.bigint() - begin);
      if (run >= 0) {
        times[place][run] = took;
        if (place === 0) {
          reports.push(report);
        }
      }
    }
  }
  return { times, reports };
}

const { oracle, cells, epsilon } = JSON.parse(readFileSync(0, "utf8"));
const level = { asked: cells, cells, shifts: 1, contrast: false };
const mechanism = mechanismOf(oracle, level, exponentialFromBelow(epsilon));
const { times, reports } = timed(mechanism, [0, cells - 1, Math.floor(cells / 2)], Number(process.argv[2]));
const own = reports.map((report) => mechanism.supports(mechanism.read(Uint8Array.from(report)))(0));
process.stdout.write(JSON.stringify({ times: times.map((each) => [...each]), own }));
