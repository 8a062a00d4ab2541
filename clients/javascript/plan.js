/** The plan: the public agreement between clients and collector, read from the object that its JSON holds. */

import { checkKeys, isObject, shown } from "./checking.js";
import { domainOf } from "./domains.js";
import { DomainError, PlanError } from "./errors.js";
import { fingerprintOf } from "./fingerprint.js";
import { levelsOf } from "./levels.js";
import { mechanismOf } from "./oracles.js";
import { exponentialFromBelow, levelThresholds } from "./thresholds.js";

const VERSION = 1;
const KEYS = [
  "ldprange_plan",
  "domain",
  "epsilon",
  "decomposition",
  "branchings",
  "oracles",
  "level_probabilities",
  "fingerprint",
];
const MOST_BINS = 2 ** 26;
const MOST_COUNTERS = 2 ** 28;
const MOST_REPORT_BYTES = 1_000_000; // a longer report fits into no request to a collector

/**
 * Read a plan: `domain`, `epsilon`, `fingerprint`, `levels`, and a mechanism for each in `mechanisms`.
 *
 * Everything is checked, also that the fingerprint is that of the rest: whoever remembers a report by it must not be told another
 * for the same plan.
 */
export function readPlan(description) {
  if (!isObject(description) || description.ldprange_plan === undefined) {
    throw new PlanError(
      `a plan must be an object with the key ldprange_plan, got ${shown(description)}; parse its text first (JSON.parse)`,
    );
  }
  if (description.ldprange_plan !== VERSION) {
    throw new PlanError(
      `this version reads plans of format ${VERSION}, got ${shown(description.ldprange_plan)}; upgrade ldprange`,
    );
  }
  checkKeys("a plan", description, KEYS, PlanError);
  const { epsilon, oracles } = description;
  if (!Number.isFinite(epsilon) || epsilon <= 0) {
    throw new PlanError(`ε must be a finite number above 0, got ${shown(epsilon)}`);
  }
  const domain = planDomain(description.domain);
  const levels = levelsOf(description.decomposition, description.branchings, domain);
  if (!Array.isArray(oracles) || oracles.length !== levels.length) {
    throw new PlanError(`a plan must have an oracle for each of its ${levels.length} levels, got ${shown(oracles)}`);
  }
  const e = exponentialFromBelow(epsilon);
  const mechanisms = levels.map((level, at) => mechanismOf(oracles[at], level, e));
  const counters = mechanisms.reduce((sum, mechanism) => sum + mechanism.counters, 0);
  if (counters > MOST_COUNTERS) {
    throw new PlanError(`a plan may need at most 2**28 counters, got ${counters}`);
  }
  const width = Math.max(...mechanisms.map((mechanism) => mechanism.width));
  if (width > MOST_REPORT_BYTES) {
    throw new PlanError(`a report must have at most ${MOST_REPORT_BYTES} bytes, and under this plan it can have ${width}`);
  }
  const thresholds = levelThresholds(checkedProbabilities(description.level_probabilities, levels.length));
  const fingerprint = checkedFingerprint(description);
  return Object.freeze({ domain, epsilon, fingerprint, levels, mechanisms, levelThresholds: thresholds });
}

function planDomain(description) {
  let domain;
  try {
    domain = domainOf(description);
  } catch (error) {
    throw error instanceof DomainError ? new PlanError(`the plan's domain is not valid: ${error.message}`) : error;
  }
  for (const { bins } of domain.axes ?? [domain]) {
    if (bins > MOST_BINS) {
      throw new PlanError(`a domain may have at most ${MOST_BINS} bins, got ${bins}`);
    }
  }
  return domain;
}

function checkedProbabilities(given, levels) {
  const valid =
    Array.isArray(given) &&
    given.length === levels &&
    given.every((probability) => Number.isFinite(probability) && probability >= 0) &&
    Math.abs(given.reduce((sum, probability) => sum + probability, 0) - 1) <= 1e-9;
  if (!valid) {
    throw new PlanError(
      `level probabilities must be ${levels} numbers of at least 0 that add up to 1, got ${shown(given)}`,
    );
  }
  return given;
}

function checkedFingerprint(description) {
  const fingerprint = fingerprintOf(description);
  if (description.fingerprint !== fingerprint) {
    throw new PlanError(
      `the plan's fingerprint must be ${fingerprint}, got ${shown(description.fingerprint)}; ` +
        "the plan was edited, or whoever sent it states a wrong one: do not answer it",
    );
  }
  return fingerprint;
}
