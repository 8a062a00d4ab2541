/** The dashboard of two attributes: a picture of their cells, and a rectangle across it. */

import { pairRows } from "./csv.js";
import { make, the } from "./elements.js";
import { showShare, write } from "./figures.js";
import { HeatMap } from "./heat_map.js";
import { pairPicture } from "./picture.js";
import { RangeForm } from "./range_form.js";
import { Rectangle } from "./rectangle.js";
import { firstRange, shareText } from "./units.js";

export class PairView {
  #overview = null;
  #map = null;
  #changed;

  /**
   * @param {[import("./units.js").Units, import("./units.js").Units]} units
   * @param {[string, string]} names
   * @param {() => void} changed when another rectangle was chosen
   */
  constructor(units, names, changed) {
    this.units = units;
    this.names = names;
    this.about = names.map((name) => ["attribute", name]);
    this.asked = "range";
    this.ranges = units.map(firstRange);
    this.#changed = changed;
  }

  /** What to ask for the rectangle that is chosen. */
  get question() {
    return this.names.flatMap((name, at) => [
      ["attribute", name],
      ["low", String(this.ranges[at].from)],
      ["high", String(this.ranges[at].to)],
    ]);
  }

  start() {
    the("pair-pictures").hidden = false;
    the("tiles").classList.add("two"); // quartiles are of one attribute
  }

  showTiles() {
    // all there are show the same for any view
  }

  draw(overview) {
    this.#overview = overview;
    this.#map ??= this.#makeMap();
    this.#map.update(overview);
    this.rectangle.show(this.#spans());
    write("heat-note", this.#note());
    write("heat-most", shareText(this.#map.most));
  }

  /** Tell the share of the rectangle; return the same in a sentence. */
  tell(answer) {
    const parts = this.names.map((name, at) => {
      const [units, from, to] = [this.units[at], answer.from[at], answer.to[at]];
      const several = units.hasOrder ? `${units.text(from)} to ${units.text(to)}` : units.anyOf(from, to);
      return `${name} ${from === to ? units.text(to) : several}`;
    });
    return showShare(answer, `have ${parts.join(" and ")}`);
  }

  /** Write the picture as a table: a row for each cell of the first attribute, a column for each of the second. */
  showTable({ table, marginals }) {
    const named = (axis) =>
      table.from[axis].map((from, at) => {
        const [low, high] = [from, table.to[axis][at]].map((value) => this.units[axis].text(value));
        return low === high ? high : `${low} to ${high}`;
      });
    const told = ({ value, low, high }, ...at) => {
      const [share, least, most] = [value, low, high].map((each) => shareText(at.reduce((found, place) => found[place], each)));
      return make("td", {}, share, make("br"), make("span", { class: "quiet" }, `${least} to ${most}`));
    };
    const [rows, columns] = [named(0), named(1)];
    const corner = make("th", { scope: "col" }, `${this.names[0]} \\ ${this.names[1]}`);
    const head = [corner, ...[...columns, "all"].map((name) => make("th", { scope: "col" }, name))];
    const body = rows.map((name, across) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, name),
        ...columns.map((_, upwards) => told(table, across, upwards)),
        told(marginals[0], across),
      ),
    );
    const all = make("tr", {}, make("th", { scope: "row" }, "all"), ...columns.map((_, at) => told(marginals[1], at)), make("td"));
    const caption = make("caption", { class: "unseen" }, `Share of people by ${this.names.join(" and ")}, with intervals`);
    the("table").replaceChildren(caption, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body, all));
  }

  /** Return what is shown as the rows of a table, with the answer to the rectangle that is chosen. */
  rows(overview, range) {
    return pairRows(overview, this.names, range);
  }

  /** Return what is shown as a picture that can be saved. */
  picture(_overview, heading) {
    return pairPicture(heading, this.#map, shareText(this.#map.most));
  }

  #makeMap() {
    const map = new HeatMap(the("heat"), this.units, this.names, (words, byKey) => {
      write("heat-note", words || this.#note());
      if (byKey) {
        write("heat-announced", words);
      }
    });
    this.rectangle = new Rectangle(map, (spans) => {
      this.ranges = spans.map(({ start, stop }, at) => ({
        from: this.units[at].lower(Math.round(start)),
        to: this.units[at].upper(Math.round(stop) - 1),
      }));
      this.forms.forEach((form, at) => form.show(this.ranges[at]));
      this.#changed();
    });
    this.forms = this.names.map(
      (name, at) =>
        new RangeForm(the("range-forms"), { id: `range-${at + 1}`, legend: name }, this.units[at], this.ranges[at], (range) => {
          this.ranges = this.ranges.map((each, other) => (other === at ? range : each));
          this.rectangle.show(this.#spans());
          this.#changed();
        }),
    );
    return map;
  }

  #spans() {
    return this.ranges.map(({ from, to }, at) => ({ start: this.units[at].start(from), stop: this.units[at].stop(to) }));
  }

  #note() {
    const { no_answer: none } = this.#overview;
    const whom = none ? ` of those who answered both; ${shareText(none.value)} of all people (${shareText(none.low)} to ${shareText(none.high)}) didn’t` : "";
    const below = this.#overview.table.value.flat().some((share) => share < 0);
    return `the fullest cell holds ${shareText(this.#map.most)}${whom}${below ? "; blank ones are 0%, or below by chance" : ""}`;
  }
}
