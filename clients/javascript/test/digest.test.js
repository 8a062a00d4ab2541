/** The digest against the platform's own, around every length at which a block more is needed. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { sha256 } from "../digest.js";

test("digests are those of SHA-256", () => {
  for (let length = 0; length < 300; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => 37 * at + 11 * length);
    assert.deepEqual(Buffer.from(sha256(bytes)), createHash("sha256").update(bytes).digest());
  }
});
