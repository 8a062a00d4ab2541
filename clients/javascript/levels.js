/** Levels: how a decomposition splits the bins. Each person reports on one level, which chance chooses. */

import { bitLength } from "./coins.js";
import { checkKeys, chosenByKind, isWhole, sameList, shown } from "./checking.js";
import { PlanError } from "./errors.js";
import { grids } from "./grids.js";

const MOST_LEVELS = 255; // a level is a byte on the wire
const MOST_LEAVES = 2 ** 28;
const MOST_BLOCK = 2 ** 12; // cells of a block of windows

const DECOMPOSITIONS = new Map([
  ["flat", { keys: [], make: flat }],
  ["tree", { keys: ["branching"], make: tree }],
  ["haar", { keys: [], make: haar }],
  ["windows", { keys: ["widths"], make: windows }],
  ["grids", { keys: ["trees", "depths"], make: grids }],
]);

const STAGED = { keys: ["stages"], make: windowsInStages }; // windows, too

/**
 * Return a plan's levels, coarsest first.
 *
 * A level has `cells` nodes of `size` bins, and `cell(index)` is the one that holds a bin. `contrast` says that only differences between the halves of a node will be used.
 * With `shifts` above 1 the oracle is asked about windows of so many cells, on a grid at a random public shift; they end where a `block`
 * of cells does. It is `asked` about so many: the cells, or the windows that cover them at any shift.
 */
export function levelsOf(decomposition, branchings, domain) {
  const chosen = chosenByKind("a decomposition", DECOMPOSITIONS, decomposition, PlanError);
  const { keys, make } = chosen.make === windows && "stages" in decomposition ? STAGED : chosen;
  checkKeys(`a decomposition of kind ${decomposition.kind}`, decomposition, ["kind", ...keys], PlanError);
  const levels =
    make === grids
      ? gridded(decomposition, branchings, domain)
      : make(decomposition, branchings, binsOfOne(domain)).map((level) => ({
          ...level,
          cell: (index) => Math.floor(index / level.size),
        }));
  if (levels.length > MOST_LEVELS) {
    throw new PlanError(`a plan may have at most ${MOST_LEVELS} levels, got ${levels.length}`);
  }
  return levels.map((level) => {
    const { cells, shifts, block = cells } = level;
    return { ...level, block, asked: (cells / block) * windowsCovering(block, shifts) };
  });
}

/** Return how many windows of `width` cells cover a block of `cells`, at any shift. */
export function windowsCovering(cells, width) {
  return Math.floor((cells - 2 + width) / width) + 1;
}

function gridded(decomposition, branchings, { bins, axes = [{ bins }] }) {
  const levels = grids(
    decomposition,
    axes.map((axis) => axis.bins),
  );
  if (axes.length < 2) {
    throw new PlanError("grids must be over two attributes or more, got one");
  }
  checkBranchings(branchings, Array(levels.length).fill(1));
  return levels;
}

function binsOfOne({ bins, axes }) {
  if (axes !== undefined) {
    throw new PlanError(`several attributes must be asked in grids, as to_json writes them, got ${axes.length} attributes`);
  }
  return bins;
}

function flat(_, branchings, bins) {
  checkBranchings(branchings, [Math.max(2, bins)]);
  return stacked(branchings, false);
}

/** The branchings are taken as the plan has them: the rule that chose them is the planner's own. */
function tree({ branching }, branchings, bins) {
  if (!isWhole(branching, 2, 2 ** 32)) {
    throw new PlanError(`branching must be a whole number of at least 2, got ${shown(branching)}`);
  }
  const whole = Array.isArray(branchings) && branchings.every((each) => isWhole(each, 2, MOST_LEAVES));
  const leaves = whole ? branchings.reduce((product, each) => product * each, 1) : 0;
  if (!(Math.max(2, bins) <= leaves && leaves <= MOST_LEAVES)) {
    throw new PlanError(
      `a tree's branchings must be whole numbers of at least 2 with a product of at least the ${bins} bins, ` +
        `got ${shown(branchings)}`,
    );
  }
  return stacked(branchings, false);
}

function haar(_, branchings, bins) {
  checkBranchings(branchings, Array(Math.max(1, bitLength(bins - 1))).fill(2));
  return stacked(branchings, true);
}

function windows({ widths }, branchings, bins) {
  const falls = (width, at) => at === 0 || width < widths[at - 1];
  const valid =
    Array.isArray(widths) &&
    widths.every((width, at) => isWhole(width, 1, Number.MAX_SAFE_INTEGER) && falls(width, at)) &&
    widths[widths.length - 1] === 1 &&
    (widths[0] === 1 || widths[0] < bins);
  if (!valid) {
    throw new PlanError(
      `widths must be whole numbers below the ${bins} bins that fall from level to level down to 1, got ${shown(widths)}`,
    );
  }
  checkBranchings(branchings, Array(widths.length).fill(1));
  return widths.map((shifts) => ({ cells: Math.max(2, bins), size: 1, contrast: false, shifts }));
}

/**
 * Windows in blocks of cells: the blocks of a stage are whole cells of the one above, and lie in one of its blocks.
 * The cells of the last are bins, or as many as are not told apart.
 */
function windowsInStages({ stages }, branchings, bins) {
  const valid =
    Array.isArray(stages) &&
    stages.length >= 1 &&
    stages.every(isStage) &&
    stages.every(([size, block], at) => at === 0 || nests(stages[at - 1], size, size * block)) &&
    (stages.length > 1 || stages[0][0] > 1) &&
    stages[stages.length - 1][2].includes(1);
  const leaves = valid ? stages[0][0] * stages[0][1] : 0;
  if (!valid || leaves < bins || leaves >= bins + spare(stages)) {
    throw new PlanError(
      `stages must be cell sizes, cells of a block and widths, of blocks that nest and cover the ${bins} bins, got ${shown(stages)}`,
    );
  }
  const levels = stages.flatMap(([size, block, widths]) =>
    widths.map((shifts) => ({ cells: leaves / size, size, contrast: false, shifts, block })),
  );
  checkBranchings(branchings, Array(levels.length).fill(1));
  return levels;
}

/** Return how many bins beyond the last are one too many: a block's of the second stage, or a cell's of the only one. */
function spare([[size], second]) {
  return second ? second[0] * second[1] : size;
}

function isStage(stage) {
  if (!Array.isArray(stage) || stage.length !== 3) {
    return false;
  }
  const [size, block, widths] = stage;
  return (
    isWhole(size, 1, MOST_LEAVES) &&
    isWhole(block, 1, MOST_BLOCK) &&
    size * block <= MOST_LEAVES &&
    Array.isArray(widths) &&
    widths.length > 0 &&
    widths.every((width, at) => isWhole(width, 1, block - 1) && (at === 0 || width < widths[at - 1]))
  );
}

function nests([size, block], finer, length) {
  return size > finer && size % finer === 0 && length % size === 0 && (size * block) % length === 0;
}

function checkBranchings(branchings, wanted) {
  if (!sameList(branchings, wanted)) {
    throw new PlanError(`the plan's branchings must be ${shown(wanted)}, got ${shown(branchings)}`);
  }
}

/** Return the levels of a tree with these branchings from the root down. */
function stacked(branchings, contrast) {
  let size = branchings.reduce((product, each) => product * each, 1);
  let cells = 1;
  return branchings.map((branching) => {
    cells *= branching;
    size /= branching;
    return { cells, size, contrast, shifts: 1 };
  });
}
