/**
 * Oracles: each randomises one item out of `cells`, a cell of its level.
 *
 * A mechanism, which is an oracle on one level, has `name`, `cells`, `width` (bytes of a report), `fields` (what these are, and their
 * bits in version 2 of the wire), `counters` (how many integers the collector keeps for it), and three functions:
 *
 * - `encode(item, coins)` returns a report's bytes; the only randomness is the coins;
 * - `read(bytes)` returns what a report says, as plain facts; one that no client can have sent is an error;
 * - `supports(facts)` returns a function that says whether the report is likelier from an item than from those it denies.
 */

import { integerBytes, packedBits, readBits, readInteger, widthOf } from "./bytes.js";
import { checkKeys, chosenByKind, isWhole, shown } from "./checking.js";
import { below, happens } from "./coins.js";
import { PlanError, WireError } from "./errors.js";
import { numberField, setField } from "./fewest_bits.js";
import { contrastMechanism, hadamardMechanism } from "./hadamard.js";
import { windowsCovering } from "./levels.js";
import { hashingMechanism } from "./local_hashing.js";
import { SymbolResponse } from "./randomized_response.js";
import { isLikelier, subsetThreshold, unaryThreshold } from "./thresholds.js";

const MOST_SUBSET_CELLS = 1 << 16;
const MOST_BITS = 4;
const MOST_SYMBOLS = 1 << 16;

const ORACLES = new Map([
  ["grr", { keys: [], make: (_, level, e) => responseMechanism(level.asked, e) }],
  ["oue", { keys: [], make: (_, level, e) => unaryMechanism(level.asked, e) }],
  ["olh", { keys: ["symbols"], make: hashing }],
  ["hadamard", { keys: ["bits"], make: hadamard }],
  ["subset", { keys: ["size"], make: ({ size }, level, e) => subsetMechanism(level.asked, size, e) }],
]);

/** Make the mechanism of an oracle on a level; `e` is just under e^ε, as `exponentialFromBelow` returns it. */
export function mechanismOf(oracle, level, e) {
  const { keys, make } = chosenByKind("an oracle", ORACLES, oracle, PlanError);
  checkKeys(`an oracle of kind ${oracle.kind}`, oracle, ["kind", ...keys], PlanError);
  const mechanism = make(oracle, level, e);
  return level.shifts === 1 ? mechanism : shiftedMechanism(mechanism, level);
}

function hashing({ symbols }, level, e) {
  if (!isWhole(symbols, 2, MOST_SYMBOLS)) {
    throw new PlanError(`symbols must be a whole number from 2 to ${MOST_SYMBOLS}, got ${shown(symbols)}`);
  }
  return hashingMechanism(level.asked, symbols, e);
}

function hadamard({ bits }, level, e) {
  if (!isWhole(bits, 1, MOST_BITS)) {
    throw new PlanError(`bits must be a whole number from 1 to ${MOST_BITS}, got ${shown(bits)}`);
  }
  return level.contrast && bits === 1 ? contrastMechanism(level.asked, e) : hadamardMechanism(level.asked, bits, e);
}

/** GRR: the cell is the symbol. */
function responseMechanism(cells, e) {
  const response = new SymbolResponse(cells, e);
  const width = widthOf(cells);
  return {
    name: "generalised randomised response",
    cells,
    width,
    fields: [numberField(width, cells)],
    counters: cells,
    encode: (item, coins) => integerBytes(response.encode(item, coins), width),
    read: (bytes) => ({ symbol: readInteger(bytes, cells), symbols: cells }),
    supports: ({ symbol }) => (item) => symbol === item,
  };
}

/** OUE: one bit per cell, each randomised on its own. */
function unaryMechanism(cells, e) {
  const held = 2 ** 31;
  const [other, finer] = unaryThreshold(e);
  if (other >= held) {
    throw new PlanError("ε must be large enough for coins to tell bits apart; raise ε");
  }
  return {
    name: "optimised unary encoding",
    cells,
    width: Math.ceil(cells / 8),
    fields: [{ bytes: Math.ceil(cells / 8), bits: cells }],
    counters: cells,
    encode(item, coins) {
      const bits = new Uint8Array(cells);
      const ties = [];
      for (let cell = 0; cell < cells; cell += 1) {
        const word = coins.word();
        bits[cell] = word < (cell === item ? held : other) ? 1 : 0;
        if (word === other && finer > 0) {
          ties.push(cell);
        }
      }
      for (const cell of ties) {
        const bit = coins.word() < finer ? 1 : 0;
        bits[cell] = cell === item ? bits[cell] : bit;
      }
      return packedBits(bits);
    },
    read: (bytes) => ({ chosen: readBits(bytes, cells), outOf: cells }),
    supports,
  };
}

/** Subset selection: a set of `size` cells that holds the sender's own more often than chance. */
function subsetMechanism(cells, size, e) {
  if (cells > MOST_SUBSET_CELLS || !isWhole(size, 1, cells - 1)) {
    throw new PlanError(
      `a subset must be of 1 to all but one of up to ${MOST_SUBSET_CELLS} cells, got ${shown(size)} of ${cells}`,
    );
  }
  const thresholds = subsetThreshold(e, cells, size);
  if (!isLikelier(thresholds, size, cells)) {
    throw new PlanError(`ε must be large enough for coins to favour the truth among ${cells} cells; raise ε`);
  }
  return {
    name: "subset selection",
    cells,
    width: Math.ceil(cells / 8),
    fields: [setField(cells, size)],
    counters: cells,
    encode(item, coins) {
      const holds = happens(coins, thresholds);
      const bits = new Uint8Array(cells + 1); // one that is not sent, for a cell too many
      for (const other of others(cells - 1, size, holds, coins)) {
        bits[other + Number(other >= item)] = 1;
      }
      bits[item] = Number(holds);
      return packedBits(bits.subarray(0, cells));
    },
    read(bytes) {
      const chosen = readBits(bytes, cells);
      if (chosen.length !== size) {
        throw new WireError(`a report must hold ${size} of ${cells} cells, got ${chosen.length}`);
      }
      return { chosen, outOf: cells };
    },
    supports,
  };
}

/** A marked cell is likelier. */
function supports({ chosen }) {
  const marked = new Set(chosen);
  return (item) => marked.has(item);
}

/**
 * Draw `size` of `cells` cells, or one less if the sender's own is there too, all sets equally likely (Floyd's algorithm).
 *
 * Time must not tell which: the one less is drawn nevertheless, and in its place is `cells`, a cell that there is not.
 */
function others(cells, size, holds, coins) {
  const { spare } = coins;
  const first = below(holds ? spare : coins, cells - size + 1);
  const chosen = new Set([holds ? cells : first]);
  for (let last = cells - size + 1; last < cells; last += 1) {
    const drawn = below(coins, last + 1);
    chosen.add(chosen.has(drawn) ? last : drawn);
  }
  return chosen;
}

/** Any mechanism asked about windows: the shift, which says nothing about the item, goes before its report. */
function shiftedMechanism(grid, { cells, shifts, block }) {
  const shiftWidth = widthOf(shifts);
  const windows = windowsCovering(block, shifts);
  const windowOf = (item, shift) => Math.floor(item / block) * windows + Math.floor(((item % block) + shift) / shifts);
  return {
    name: grid.name,
    cells,
    width: shiftWidth + grid.width,
    fields: [numberField(shiftWidth, shifts), ...grid.fields],
    counters: shifts * (1 + grid.counters),
    encode(item, coins) {
      const shift = below(coins, shifts);
      return [...integerBytes(shift, shiftWidth), ...grid.encode(windowOf(item, shift), coins)];
    },
    read(bytes) {
      const shift = readInteger(bytes.subarray(0, shiftWidth), shifts);
      return { shift, ...grid.read(bytes.subarray(shiftWidth)) };
    },
    supports(facts) {
      const supported = grid.supports(facts);
      return (item) => supported(windowOf(item, facts.shift));
    },
  };
}
