/** A domain's values for people and for pictures: how they read, and where they lie on the line of bins. */

const DAY = 86_400_000; // milliseconds
const FEW = 5; // labels that can all be named
const ROOM = 1 / 12; // of the axis, beside it for what is beyond an open end
const ANY_OF = new Intl.ListFormat("en", { type: "disjunction" });

/** @typedef {number | string} Value a number, a day such as "2026-01-31", a label, or the name of a bin beyond an open end */

/** Return a number for people. Years must not read 1,985: only longer ones are grouped. */
export function numberText(number, digits = {}) {
  return new Intl.NumberFormat("en", { useGrouping: "min2", ...digits }).format(number);
}

/** @param {number} count */
export function countText(count) {
  return new Intl.NumberFormat("en").format(count);
}

/** Return a share as a percentage; unbiased ones may be below 0 or above 1, and are told so. */
export function shareText(share, digits = 1) {
  const text = (100 * share).toFixed(digits);
  return `${Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−")}%`;
}

/** @param {string} day */
export function dayText(day, format = { day: "numeric", month: "short", year: "numeric" }) {
  return new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...format }).format(new Date(`${day}T00:00:00Z`));
}

/**
 * The values of one attribute. Where they have open ends, or there may be no answer, positions are those of the values themselves:
 * what is beyond them has a name, and no place on an axis.
 *
 * Positions run from 0 to the number of bins: bin b covers b to b + 1. Pictures of cells have room for what is beyond an open end: before
 * position 0, and after the number of bins.
 *
 * Pictures are drawn over positions, so that a logarithmic domain has its logarithmic axis and labels have their places
 * without a special case.
 */
export class Units {
  /**
   * @param {import("../../../../clients/javascript/index.d.ts").Domain} domain
   * @param {string} unit such as "minutes", or ""
   */
  constructor(domain, unit) {
    const answered = domain.kind === "no_answer" ? domain.inside : domain;
    const { before, after } = answered.kind === "open_ends" ? answered : {};
    /** The names of what is beyond the ends, where they are open. */
    this.before = before;
    this.after = after;
    /** Whether people may give no answer. */
    this.mayBeNone = domain.kind === "no_answer";
    domain = answered.kind === "open_ends" ? answered.inside : answered;
    this.domain = domain;
    this.unit = unit;
    /** What its values look like: labels are labels, with an order or without. */
    this.kind = domain.kind === "categories" ? "ordered" : domain.kind;
    /** Whether "up to a value" means something, as it does not among categories. */
    this.hasOrder = domain.kind !== "categories";
    this.bins = domain.bins;
    this.room = Math.ceil(ROOM * domain.bins);
    /** Whether every bin is one value, so that both ends of a range belong to it. */
    this.discrete = !["real", "logarithmic"].includes(domain.kind);
    const width = (domain.high - domain.low) / domain.bins;
    this.decimals = domain.kind === "real" ? decimalsFor(width) : 0;
    /** How many decimals tell tenths of a bin apart: a quartile lies inside one. */
    this.finer = domain.kind === "real" ? Math.max(this.decimals, Math.ceil(1 - Math.log10(width) - 1e-9)) : 0;
  }

  /** Return the value at a position of a domain of numbers or days. */
  at(position) {
    const { kind, low, high } = this.domain;
    if (!this.discrete && (position <= 0 || position >= this.bins)) {
      return position <= 0 ? low : high; // exactly: a rounding error beyond would be outside
    }
    if (kind === "real") {
      return low + position * ((high - low) / this.bins);
    }
    return kind === "logarithmic" ? low * (high / low) ** (position / this.bins) : this.#single(Math.floor(position));
  }

  #single(bin) {
    const { kind, low, labels } = this.domain;
    const inside = Math.min(Math.max(bin, 0), this.bins - 1);
    if (this.kind === "ordered") {
      return labels[inside];
    }
    return kind === "dates" ? dayAfter(low, inside) : low + inside;
  }

  /** Return the value with which a range begins whose first bin is this. */
  lower(bin) {
    return this.#beyond(bin) ?? (this.discrete ? this.#single(bin) : this.at(bin));
  }

  /** Return the value with which a range ends whose last bin is this. */
  upper(bin) {
    return this.#beyond(bin) ?? (this.discrete ? this.#single(bin) : this.at(bin + 1));
  }

  #beyond(bin) {
    return bin < 0 ? this.before : bin >= this.bins ? this.after : undefined;
  }

  /** Where the room for a picture of cells starts and stops. */
  get extent() {
    return { start: this.before === undefined ? 0 : -this.room, stop: this.bins + (this.after === undefined ? 0 : this.room) };
  }

  /** Return the position at which a range starts that begins with a value; the value must be of the domain. */
  start(value) {
    const { kind, low, high } = this.domain;
    if (this.isBeyond(value)) {
      return value === this.before ? -this.room : this.bins;
    }
    if (this.discrete) {
      return this.domain.index(value);
    }
    const share = kind === "real" ? (value - low) / (high - low) : Math.log(value / low) / Math.log(high / low);
    return this.bins * share;
  }

  /** Return the position at which a range stops that ends with a value. */
  stop(value) {
    if (this.isBeyond(value)) {
      return value === this.before ? 0 : this.bins + this.room;
    }
    return this.discrete ? this.domain.index(value) + 1 : this.start(value);
  }

  /** Whether a value is the name of what is beyond an end. */
  isBeyond(value) {
    return value !== undefined && (value === this.before || value === this.after);
  }

  /** Return a value for people, without its unit. */
  text(value) {
    if (this.isBeyond(value)) {
      const [less, more] = this.kind === "dates" ? ["before", "after"] : ["less than", "more than"];
      return value === this.before ? `${less} ${this.text(this.domain.low)}` : `${more} ${this.text(this.domain.high)}`;
    }
    switch (this.kind) {
      case "dates":
        return dayText(value);
      case "ordered":
        return value;
      case "logarithmic":
        return numberText(value, { maximumSignificantDigits: 3 });
      default:
        return numberText(value, { maximumFractionDigits: this.finer });
    }
  }

  /** Return the labels from one to another by name: categories have no order, so that nothing lies between them. */
  anyOf(from, to) {
    const labels = this.domain.labels.slice(this.start(from), this.stop(to));
    return labels.length > FEW ? `one of the ${labels.length} from ${from} to ${to}` : ANY_OF.format(labels);
  }

  /** Return a value where there is little room. */
  short(value) {
    const text = this.text(value);
    if (this.kind === "ordered") {
      return text.length > 14 ? `${text.slice(0, 13).trim()}…` : text;
    }
    return this.kind === "dates" && !this.isBeyond(value) ? dayText(value, { day: "numeric", month: "short" }) : text;
  }

  /** Return a value for people with its unit. */
  named(value) {
    return this.unit ? `${this.text(value)} ${this.unit}` : this.text(value);
  }

  /** Return a value as an input of a form takes it: round, but on the same bin edge. */
  typed(value) {
    if (this.discrete || this.isBeyond(value)) {
      return String(value);
    }
    return String(this.kind === "real" ? Number(value.toFixed(this.decimals)) : Number(value.toPrecision(4)));
  }
}

/** Return the range that is shown before one is chosen: the second quarter of the values. */
export function firstRange(units) {
  const start = Math.floor(units.bins / 4);
  return { from: units.lower(start), to: units.upper(Math.max(start, Math.floor(units.bins / 2) - 1)) };
}

/** Return how many decimals tell bins of this width apart, and end on their edges if any few do. */
function decimalsFor(width) {
  for (let decimals = 0; decimals <= 6; decimals += 1) {
    if (Math.abs(Number(width.toFixed(decimals)) - width) < 1e-6 * width) {
      return decimals;
    }
  }
  return Math.min(Math.max(Math.ceil(-Math.log10(width)) + 1, 0), 12);
}

/** Return the day so many days after another. */
export function dayAfter(day, days) {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}
