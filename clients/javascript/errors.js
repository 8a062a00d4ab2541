/** Every error that this package throws on purpose. Each message says what must hold, what came, and what to do. */

export class LdprangeError extends Error {
  get name() {
    return this.constructor.errorName;
  }

  static errorName = "LdprangeError"; // a class's own name is lost where code is minified
}

/** A value, or a domain's own description, is not what it must be. */
export class DomainError extends LdprangeError {
  static errorName = "DomainError";
}

/** A plan cannot be read. */
export class PlanError extends LdprangeError {
  static errorName = "PlanError";
}

/** A report was made under another plan. */
export class MismatchError extends LdprangeError {
  static errorName = "MismatchError";
}

/** Bytes are not a report. */
export class WireError extends LdprangeError {
  static errorName = "WireError";
}

/** Do some work; say an error about a value in other words. */
export function reworded(work, words) {
  try {
    return work();
  } catch (error) {
    throw error instanceof DomainError ? new DomainError(words(error.message)) : error;
  }
}
