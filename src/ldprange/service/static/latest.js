/** Questions that come faster than answers: one is under way at a time, and of those that wait only the latest is asked. */

const LEAST_GAP = 60; // milliseconds between questions, so that a drag stays below any collector's limit

/**
 * @template Question, Answer
 */
export class Latest {
  #ask;
  #answered;
  #failed;
  /** @type {{ question: Question } | null} */
  #waiting = null;
  #busy = false;

  /**
   * @param {(question: Question) => Promise<Answer>} ask
   * @param {(answer: Answer) => void} answered
   * @param {(error: unknown) => void} failed
   */
  constructor(ask, answered, failed) {
    this.#ask = ask;
    this.#answered = answered;
    this.#failed = failed;
  }

  /** @param {Question} question */
  put(question) {
    this.#waiting = { question };
    if (!this.#busy) {
      void this.#work();
    }
  }

  async #work() {
    this.#busy = true;
    while (this.#waiting) {
      const { question } = this.#waiting;
      this.#waiting = null;
      const gap = new Promise((resolve) => setTimeout(resolve, LEAST_GAP));
      try {
        this.#answered(await this.#ask(question));
      } catch (error) {
        this.#failed(error);
      }
      await gap;
    }
    this.#busy = false;
  }
}
