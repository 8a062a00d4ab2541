/** Grids over several attributes: a level asks for a cell on some of them, each at one scale. */

import { isWhole, shown } from "./checking.js";
import { PlanError } from "./errors.js";

const MOST_CELLS = 2 ** 28;

/**
 * Return the levels of a plan over several attributes.
 *
 * Each attribute is cut by a tree with these branchings from the root down, and a level goes so deep into each: not at all where
 * it does not ask. Its `shape` says into how many parts it cuts each attribute.
 */
export function grids({ trees, depths }, shape) {
  checkTrees(trees, shape);
  checkDepths(depths, trees);
  return depths.map((deep) => {
    const parts = trees.map((tree, at) => productOf(tree.slice(0, deep[at])));
    const scales = parts.map((cells, at) => productOf(trees[at]) / cells);
    const cells = productOf(parts);
    if (cells > MOST_CELLS) {
      throw new PlanError(`a grid may have at most ${MOST_CELLS} cells, got ${cells} at depths ${shown(deep)}`);
    }
    const cell = (index) => parts.reduce((found, each, at) => found * each + Math.floor(index[at] / scales[at]), 0);
    return { cells, size: productOf(scales), contrast: false, shifts: 1, shape: Object.freeze(parts), cell };
  });
}

function checkTrees(trees, shape) {
  const listed =
    Array.isArray(trees) &&
    trees.every((tree) => Array.isArray(tree) && tree.every((branching) => isWhole(branching, 2, Number.MAX_SAFE_INTEGER)));
  if (!listed || trees.length !== shape.length || !trees.every((tree, at) => productOf(tree) >= shape[at] && productOf(tree) < 2 * shape[at])) {
    throw new PlanError(
      "the trees must be lists of whole numbers of at least 2 with as many leaves as the attributes have bins, " +
        `${shown(shape)}, or more, but not twice as many, got ${shown(trees)}`,
    );
  }
}

function checkDepths(depths, trees) {
  const heights = trees.map((tree) => tree.length);
  const valid = (deep) =>
    Array.isArray(deep) &&
    deep.length === trees.length &&
    deep.every((depth, at) => isWhole(depth, 0, heights[at])) &&
    deep.some((depth) => depth > 0);
  if (!Array.isArray(depths) || depths.length === 0 || !depths.every(valid)) {
    throw new PlanError(
      `a grid must go 0 to ${shown(heights)} deep into the trees, and into one of them at least, got ${shown(depths)}`,
    );
  }
  if (new Set(depths.map(String)).size !== depths.length) {
    throw new PlanError(`grids must be one or more, each once, got ${shown(depths)}`);
  }
}

function productOf(numbers) {
  return numbers.reduce((product, each) => product * each, 1);
}
