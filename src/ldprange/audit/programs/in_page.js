/** Runs tasks in a browser: takes each from the audit, and brings back what it found, until there are no more. */

import { TASKS } from "./making.js";

const run = ({ task, given }) => TASKS[task](given);

function inWorker(asked) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./in_worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(asked);
  });
}

async function work() {
  for (;;) {
    const asked = await (await fetch("next")).json();
    if (asked === null) {
      return;
    }
    let found;
    try {
      found = { found: asked.worker ? await inWorker(asked) : run(asked) };
    } catch (error) {
      found = { error: String(error) };
    }
    await fetch("found", { method: "POST", body: JSON.stringify(found) });
  }
}

work();
