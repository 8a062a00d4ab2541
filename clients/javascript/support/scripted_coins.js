/** Coins that say what a test wants them to say. */

export class ScriptedCoins {
  #words;
  #at = 0;

  constructor(words) {
    this.#words = words;
  }

  word() {
    if (this.#at === this.#words.length) {
      throw new Error(`a report must take no more than the ${this.#words.length} words it was given`);
    }
    this.#at += 1;
    return this.#words[this.#at - 1];
  }

  /** Coins that decide nothing: none of the words. */
  get spare() {
    return { word: () => 0 };
  }

  /** How many words nobody has asked for. */
  get left() {
    return this.#words.length - this.#at;
  }
}
