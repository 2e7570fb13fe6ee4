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

const home = process.cwd();

export class Message {
  #cancelled = new AbortController();
  #request;
  #directory;
  #hasOwnDirectory;
  #settle;
  isOver = false;
  over = new Promise((resolve) => (this.#settle = resolve));

  /** `directory`: where its files lie; null: in one of its own. `extras` are added to its context. */
  constructor(request, { directory, extras }) {
    const { signal } = this.#cancelled;
    this.run_id = request.run_id;
    this.#request = request;
    this.#hasOwnDirectory = directory === null;
    this.#directory = directory ?? join(home, ".messages", request.run_id);
    this.context = createContext(request, { ...extras, directory: this.#directory, signal });
    this.input = this.context.input;
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

  /** By its last frame: the first that is given. */
  end(last) {
    if (this.isOver) return;
    calledFor.run(this, () => sendLast(last));
    this.isOver = true;
    if (this.#hasOwnDirectory) rmSync(this.#directory, { recursive: true, force: true });
    this.#settle();
  }
}
