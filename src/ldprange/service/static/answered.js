/**
 * What this device remembers of an answer: the report and whether it was sent, never the answer.
 *
 * A person has one report. It is remembered before it is sent, so that neither closing the page nor changing one's mind
 * can make a second: each further report would reveal as much again.
 */

const FINGERPRINT = /^[0-9a-f]{16}$/;

/**
 * @typedef {object} Memory
 * @property {string} batch the report's id, 32 hexadecimal digits
 * @property {string} report the report, in hexadecimal digits
 * @property {boolean} sent whether the collector has acknowledged it
 */

export class Answered {
  #start;
  #key;
  /** @type {string | null} */
  #kept = null;
  #works = true;

  /**
   * Both are what this device found out itself: a collector that could choose them would be answered anew each time.
   *
   * @param {string} place where the survey is on this host
   * @param {string} fingerprint the plan's: another plan is another question
   */
  constructor(place, fingerprint) {
    this.#start = `ldprange:answered:${place}:`;
    this.#key = `${this.#start}${fingerprint}`;
    try {
      const probe = `${this.#key}:probe`;
      localStorage.setItem(probe, "1");
      localStorage.removeItem(probe);
    } catch {
      this.#works = false;
    }
  }

  /** Whether a later visit will know of this one. */
  get lasting() {
    return this.#works;
  }

  /** Whether this survey was answered under another plan. */
  get underAnotherPlan() {
    const others = this.#works ? Object.keys(localStorage).filter((key) => this.#isAnotherPlans(key)) : [];
    return others.some((key) => memoryIn(localStorage.getItem(key)) !== null);
  }

  #isAnotherPlans(key) {
    return key !== this.#key && key.startsWith(this.#start) && FINGERPRINT.test(key.slice(this.#start.length));
  }

  /** @returns {Memory | null} */
  recall() {
    return memoryIn(this.#works ? localStorage.getItem(this.#key) : this.#kept);
  }

  /** @param {Memory} memory */
  remember(memory) {
    this.#kept = JSON.stringify(memory);
    if (this.#works) {
      try {
        localStorage.setItem(this.#key, this.#kept);
      } catch {
        this.#works = false; // full: this visit remembers by itself
      }
    }
  }

  /**
   * Call back when the same page in another tab has remembered something.
   *
   * @param {() => void} changed
   */
  onChangeElsewhere(changed) {
    addEventListener("storage", (event) => {
      if (event.key === this.#key) {
        changed();
      }
    });
  }
}

/** @returns {Memory | null} what a text holds, or null if there is none, or it is not ours */
function memoryIn(text) {
  try {
    const { batch, report, sent } = JSON.parse(text ?? "null");
    const valid = /^[0-9a-f]{32}$/.test(batch) && /^([0-9a-f]{2})+$/.test(report);
    return valid ? { batch, report, sent: sent === true } : null;
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes */
export function toHexadecimal(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits */
export function fromHexadecimal(digits) {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
