/** What a client accepts of a plan, which may come from a stranger. */

import { isObject, shown } from "./checking.js";
import { PlanError } from "./errors.js";

const OPTIONS = ["maxEpsilon", "fingerprint"];

/** Refuse a plan whose ε exceeds `maxEpsilon`, or whose fingerprint is not `fingerprint`; either may be undefined. */
export function checkAccepted(plan, options) {
  const unknown = isObject(options) ? Object.keys(options).find((key) => !OPTIONS.includes(key)) : options;
  if (!isObject(options) || unknown !== undefined) {
    throw new PlanError(`a client's options must be among ${OPTIONS.join(" and ")}, got ${shown(unknown)}`);
  }
  const { maxEpsilon, fingerprint } = options;
  if (maxEpsilon !== undefined && !(Number.isFinite(maxEpsilon) && maxEpsilon > 0)) {
    throw new PlanError(`maxEpsilon must be a finite number above 0, got ${shown(maxEpsilon)}`);
  }
  if (plan.epsilon > maxEpsilon) {
    throw new PlanError(
      `the plan's ε must be at most ${maxEpsilon}, the most that is accepted here, got ${plan.epsilon}; do not answer it`,
    );
  }
  if (fingerprint !== undefined && plan.fingerprint !== fingerprint) {
    throw new PlanError(
      `the plan's fingerprint must be ${shown(fingerprint)}, the one that is accepted here, got ${plan.fingerprint}; ` +
        "it is another plan: do not answer it",
    );
  }
}
