/** Asks for news every other second, while anyone looks; more seldom while the collector does not answer. */

import { Refused } from "./requests.js";

const EVERY = 2; // seconds
const SELDOM = 30;

export class Live {
  #look;
  #failed;
  /** @type {number | undefined} */
  #timer;
  #failures = 0;
  #round = 0;

  /**
   * @param {() => Promise<void>} look asks for news and shows them
   * @param {(error: unknown, wait: number) => boolean} failed tells of a failure and how many seconds there are to the next
   *   try; returns whether there is to be one
   */
  constructor(look, failed) {
    this.#look = look;
    this.#failed = failed;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.now()));
  }

  /** Ask at once, and go on asking. */
  now() {
    this.pause();
    void this.#ask(this.#round);
  }

  pause() {
    clearTimeout(this.#timer);
    this.#round += 1; // whatever is under way will not ask again
  }

  async #ask(round) {
    let wait = EVERY;
    let goOn = true;
    try {
      await this.#look();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      wait = Math.min(EVERY * 2 ** (this.#failures - 1), SELDOM);
      if (error instanceof Refused && error.retryAfter > wait) {
        wait = error.retryAfter;
      }
      goOn = this.#failed(error, wait);
    }
    if (goOn && round === this.#round && !document.hidden) {
      this.#timer = setTimeout(() => this.now(), 1000 * wait);
    }
  }
}
