/** Plans for tests, with the fingerprint that they have. */

import { fingerprintOf } from "../fingerprint.js";

/** Return a plan that states its own fingerprint, in place of any other. */
export function stated(plan) {
  return { ...plan, fingerprint: fingerprintOf(plan) };
}
