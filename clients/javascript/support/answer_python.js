/**
 * Answers the differential test of the Python package: JSON on standard input, JSON on standard output.
 *
 * Each task is done for many cases at once, in one process.
 */

import { readFileSync } from "node:fs";

import { Client, describe } from "../index.js";
import { encodeWith } from "../client.js";
import { domainOf } from "../domains.js";
import { canonical, fingerprintOf } from "../fingerprint.js";
import { readPlan } from "../plan.js";
import { exponentialFromBelow, keepingThreshold, subsetThreshold, unaryThreshold } from "../thresholds.js";
import { hexadecimal } from "../wire.js";
import { ScriptedCoins } from "./scripted_coins.js";
import { stated } from "./stated.js";

const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

/** Answer a plan with the least value, or say why not. */
function answered(text) {
  const least = ({ names, axes, low }) => (axes ? Object.fromEntries(axes.map((axis, at) => [names[at], axis.low])) : low);
  try {
    const plan = JSON.parse(text);
    plan.fingerprint ??= statedBy(plan);
    const client = new Client(plan);
    return `a report of ${client.encode(least(client.domain)).length} bytes`;
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

/** Return the fingerprint of a plan; of one that is nested too deeply to have any, another text. */
function statedBy(plan) {
  try {
    return fingerprintOf(plan);
  } catch {
    return "none";
  }
}

const TASKS = {
  /** Reports of values with given words, and how many of the words were left. */
  reports: ({ plan, people }) => {
    const made = readPlan(plan);
    return people.map(({ value, words }) => {
      const coins = new ScriptedCoins(words);
      return [hexadecimal(encodeWith(made, made.domain.index(value), coins)), coins.left];
    });
  },

  /** Bins of values; null for a value that is refused. */
  bins: ({ domain, values }) => {
    const made = domainOf(domain);
    return values.map((value) => {
      try {
        return made.index(value);
      } catch {
        return null;
      }
    });
  },

  /** e from below and every threshold, as texts: they may be longer than a double holds. */
  thresholds: ({ epsilon, symbols, cells, size }) => {
    const e = exponentialFromBelow(epsilon);
    const thresholds = [keepingThreshold(e, symbols), unaryThreshold(e), subsetThreshold(e, cells, size)];
    return [...e, ...thresholds.flat()].map(String);
  },

  /** How often each report is made of a value, with the platform's own coins. */
  tallies: ({ plan, value, people }) => {
    const client = new Client(plan);
    const tally = {};
    for (let person = 0; person < people; person += 1) {
      const report = hexadecimal(client.encode(value));
      tally[report] = (tally[report] ?? 0) + 1;
    }
    return tally;
  },

  /** Descriptions of reports. */
  descriptions: ({ plan, reports }) => reports.map((report) => describe(plan, bytesOf(report))),

  /** The name of the error with which a plan is refused, or its fingerprint. */
  refusals: ({ plan }) => {
    try {
      return readPlan(stated(plan)).fingerprint;
    } catch (error) {
      return error.name;
    }
  },

  /** What a client says to a plan from a stranger, given as JSON, and how much memory all have taken so far, in bytes. */
  strangers: ({ text }) => {
    const said = answered(text);
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
    return [said, 1024 * Number(kilobytes)];
  },

  /** Numbers as the digest of a plan has them. */
  floats: ({ numbers }) => canonical(numbers, true),
};

const { task, cases } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(TASKS[task])));
