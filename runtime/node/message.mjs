// A message to a process that stays: its context, its files, and its one answer.
import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeEnding } from "./channel.mjs";
import { createContext, writeFiles } from "./context.mjs";
import { endingOf } from "./load-agent.mjs";

/** @import { Frame, RunRequest } from "./types.d.ts" */

class Cancelled extends Error {
  /** @override */
  name = "Cancelled";
}

/**
 * The message that the running code was called for, where the agent is called once a message.
 * @type {AsyncLocalStorage<Message>}
 */
export const calledFor = new AsyncLocalStorage();

const messagesDirectory = join(process.cwd(), ".messages");

export class Message {
  #cancelled = new AbortController();
  #request;
  #directory;
  #hasOwnDirectory;
  /** @type {(value?: undefined) => void} */
  #settle = () => {};
  isOver = false;
  /** @type {Promise<undefined>} Resolves when the message was answered. */
  over = new Promise((resolve) => (this.#settle = resolve));

  /**
   * `directory`: where the message's files are; null for a directory of its own. `extras` are added to its context.
   * @param {RunRequest & { run_id: string }} request
   * @param {{ directory: string | null, extras: Record<string, unknown> }} options
   */
  constructor(request, { directory, extras }) {
    const { signal } = this.#cancelled;
    this.run_id = request.run_id;
    this.#request = request;
    this.#hasOwnDirectory = directory === null;
    this.#directory = directory ?? join(messagesDirectory, request.run_id);
    this.context = createContext(request, { ...extras, directory: this.#directory, signal });
    this.input = this.context.input;
  }

  /** Writes the message's files. */
  open() {
    writeFiles(this.#request.files, this.#directory);
  }

  cancel() {
    calledFor.run(this, () => this.#cancelled.abort(new Cancelled("The message was cancelled.")));
  }

  /** @param {unknown} result */
  reply(result = null) {
    this.end({ type: "result", result_content: result });
  }

  /** @param {unknown} error */
  fail(error) {
    this.end(endingOf(error));
  }

  /**
   * Ends the message with its last frame. Later calls are ignored.
   * @param {Frame} last
   */
  end(last) {
    if (this.isOver) return;
    calledFor.run(this, () => writeEnding(last));
    this.isOver = true;
    if (this.#hasOwnDirectory) rmSync(this.#directory, { recursive: true, force: true });
    this.#settle();
  }
}
