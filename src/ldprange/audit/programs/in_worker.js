/** Runs a task in a browser's worker. */

import { TASKS } from "./making.js";

addEventListener("message", ({ data: { task, given } }) => postMessage(TASKS[task](given)));
