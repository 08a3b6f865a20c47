// A run that goes on: asks the program that serves this page for what is new. FORMAT.md says what it answers.

import { readPage } from "./data.js";

/// Time between two questions, ms.
const PAUSE = 1000;
/// Reading the tables takes the program's time: it is left alone for so many times as long.
const REST = 2;

async function answer(path) {
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

/// Brings what runs have recorded since into the page; `say` tells what went wrong, and nothing where it goes on.
export class Live {
  constructor(renew, say) {
    Object.assign(this, { renew, say, seen: "" });
    this.later(0);
  }

  later(pause) {
    setTimeout(() => this.look(), pause);
  }

  async look() {
    const begin = performance.now();
    try {
      const now = await answer("state");
      if (now !== this.seen) this.renew(await readPage(new DOMParser().parseFromString(await answer("page"), "text/html")));
      this.seen = now;
      this.say("");
    } catch (error) {
      this.say(`What the run has recorded since is not here: ${error.message}`);
    }
    this.later(Math.max(PAUSE, REST * (performance.now() - begin)));
  }
}
