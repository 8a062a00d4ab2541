/** The wire: a report as bytes, a batch of one. Version 1 is in whole bytes, version 2 in the fewest bits. */

import { shown } from "./checking.js";
import { MismatchError, WireError } from "./errors.js";
import { compact, compactWidth, expand } from "./fewest_bits.js";

const VERSIONS = [1, 2];
const HEADER = 9;

/** Return a report, given as its mechanism made it, as bytes of a version of the wire. */
export function pack(plan, level, made, version) {
  if (!VERSIONS.includes(version)) {
    throw new WireError(`the version must be 1 or 2, got ${shown(version)}`);
  }
  const digits = plan.fingerprint.match(/../g).map((pair) => parseInt(pair, 16));
  const payload = version === 1 ? made : compact(plan.mechanisms[level].fields, made);
  const bytes = new Uint8Array(HEADER + 2 + payload.length);
  bytes.set([version, ...digits, level, 1]);
  bytes.set(payload, HEADER + 2);
  return bytes;
}

/** Read one report back as its level and what it says; an error if the bytes are not exactly one report of this plan. */
export function unpack(plan, bytes) {
  if (!(bytes instanceof Uint8Array)) {
    throw new WireError(`a report must be a Uint8Array, as client.encode returns it, got ${shown(bytes)}`);
  }
  if (bytes.length < HEADER + 2) {
    throw new WireError(`a report must have more than ${HEADER + 2} bytes, got ${bytes.length}; it was cut short`);
  }
  const version = bytes[0];
  if (!VERSIONS.includes(version)) {
    throw new WireError(`a report must be of version 1 or 2, got ${version}; upgrade ldprange`);
  }
  const fingerprint = hexadecimal(bytes.subarray(1, HEADER));
  if (fingerprint !== plan.fingerprint) {
    throw new MismatchError(`a report must carry the fingerprint of its plan, ${plan.fingerprint}, got ${fingerprint}`);
  }
  const [level, count] = bytes.subarray(HEADER, HEADER + 2);
  const payload = bytes.subarray(HEADER + 2);
  if (level >= plan.levels.length || count !== 1) {
    throw new WireError(
      `there must be 1 report on a level below ${plan.levels.length}, got ${count} or more on level ${level}`,
    );
  }
  const mechanism = plan.mechanisms[level];
  const width = version === 1 ? mechanism.width : compactWidth(mechanism.fields);
  if (payload.length !== width) {
    throw new WireError(`a report on level ${level} must have ${width} bytes, got ${payload.length}`);
  }
  return { level, facts: mechanism.read(version === 1 ? payload : expand(mechanism.fields, payload)) };
}

/** Return bytes as text, two digits each. */
export function hexadecimal(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
