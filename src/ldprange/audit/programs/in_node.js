/** Runs a task in Node: JSON on standard input, JSON on standard output. With `worker`, in a worker. */

import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { TASKS } from "./making.js";

const run = ({ task, given }) => TASKS[task](given);

if (isMainThread) {
  const asked = JSON.parse(readFileSync(0, "utf8"));
  const tell = (found) => process.stdout.write(JSON.stringify(found));
  if (asked.worker) {
    new Worker(new URL(import.meta.url), { workerData: asked }).on("message", tell);
  } else {
    tell(run(asked));
  }
} else {
  parentPort.postMessage(run(workerData));
}
