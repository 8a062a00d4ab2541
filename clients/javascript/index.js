/** Randomise one value on its owner's device. See README.md. */

export { Client } from "./client.js";
export { describe } from "./describe.js";
export { exampleReport } from "./example.js";
export { DomainError, LdprangeError, MismatchError, PlanError, WireError } from "./errors.js";
