/** Says whether the reports are what honest clients send, as the collector's check has it. */

import { make, the } from "./elements.js";
import { write } from "./figures.js";
import { countText } from "./units.js";

const EVERY = 60_000; // milliseconds: a check goes through all counts

export class Honesty {
  #ask;
  /** How many reports there were when it was last told. */
  #checked = 0;
  #next = 0;

  /** @param {() => Promise<any>} ask gets the collector's check */
  constructor(ask) {
    this.#ask = ask;
  }

  /**
   * Ask again if there are other reports than last time, and tell what came.
   *
   * @param {number} reports
   */
  async look(reports) {
    if (reports === this.#checked || reports === 0 || Date.now() < this.#next) {
      return;
    }
    this.#next = Date.now() + EVERY;
    try {
      const found = await this.#ask();
      this.#checked = found.reports;
      this.#tell(found);
    } catch {
      // the figures are what matters; it is asked again with later news
    }
  }

  #tell({ suspicious, findings, reports, false_alarms: falseAlarms }) {
    the("suspicious").hidden = !suspicious;
    the("findings").replaceChildren(...findings.map(({ text }) => make("li", {}, text)));
    the("honest").hidden = suspicious;
    const chance = `chance of a false alarm: ${100 * falseAlarms}%`;
    write("honest", `All ${countText(reports)} reports were checked for tampering, and none was found (${chance}).`);
  }
}
