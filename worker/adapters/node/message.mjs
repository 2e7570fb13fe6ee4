// A message that a process that stays is given: its context, its files, its one answer.
import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { sendLast } from "./channel.mjs";
import { createContext, writeFiles } from "./context.mjs";
import { endingBy } from "./load-agent.mjs";

class Cancelled extends Error {
  name = "Cancelled";
}

/** The message that the code at work was called for, as far as it was called for one. */
export const calledFor = new AsyncLocalStorage();

export class Message {
  #cancelled = new AbortController();
  #request;
  #directory;
  #onEnd;

  /** `directory`: where its files lie; null: one of its own. `onEnd` is called once, after the answer. */
  constructor(request, { directory, extras, onEnd }) {
    this.#request = request;
    this.#directory = directory ?? join(".messages", request.run_id);
    this.run_id = request.run_id;
    this.context = Object.assign(createContext(request, this.#directory), extras, { signal: this.#cancelled.signal });
    this.input = this.context.input;
    this.isOver = false;
    this.over = new Promise((resolve) => {
      this.#onEnd = () => {
        resolve();
        if (directory === null) rmSync(this.#directory, { recursive: true, force: true });
        onEnd(this);
      };
    });
  }

  open() {
    writeFiles(this.#request.files, this.#directory);
  }

  cancel() {
    calledFor.run(this, () => this.#cancelled.abort(new Cancelled("The message was cancelled.")));
  }

  reply(result = null) {
    this.end({ type: "result", result_content: result });
  }

  fail(error) {
    this.end(endingBy(error));
  }

  /** With its last frame, the first of those that are tried. */
  end(last) {
    if (this.isOver) return;
    calledFor.run(this, () => sendLast(last));
    this.isOver = true;
    this.#onEnd();
  }
}
