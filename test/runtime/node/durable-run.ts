import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { failedEntries } from "../../../shared/services/journal/failed-entries.ts";
import { readProgram } from "../../../worker/adapters/node/read-program.ts";

type Frame = { type: string; key: string; name: string; [field: string]: unknown };
type Kept = { key: string; kind: string; name: string; branch: string; position: number; ok: boolean; place: number };

/** A durable run of some code. Its worker is this: it keeps what the code does, and starts the runs of agents that end at once. */
export class DurableRun {
  readonly kept: Kept[] = [];
  readonly answers: string[] = [];
  /** Names of signals that are sent at once; each has its name as payload. */
  readonly signals: string[] = [];
  readonly asked: (string | null)[] = [];
  readonly #code: string;
  readonly #opened = new Map<string, Frame>();
  #attempt = 0;
  #place = 0;

  constructor(code: string) {
    this.#code = code;
  }

  /** Names of what is kept. */
  names(): string[] {
    return this.kept.map(({ name }) => name).toSorted();
  }

  /** What a retry of the whole run does. */
  drop(): void {
    const dropped = failedEntries(this.kept.map((entry) => ({ ...entry, stored_key: entry.key })));
    this.kept.splice(0, Infinity, ...this.kept.filter(({ key }) => !dropped.has(key)));
  }

  /** Runs the code once more. Returns its frames. */
  async go(): Promise<Frame[]> {
    const cwd = await mkdtemp(join(tmpdir(), "durable-run-"));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const argv = ["--no-warnings", "-e", readProgram("once")];
    const options = { cwd, timeout: 60_000, killSignal: "SIGKILL" } as const;
    const child = spawn(process.execPath, argv, { ...options, stdio: ["pipe", "ignore", "ignore", "pipe"] });
    child.stdin?.on("error", () => undefined);
    const tell = (line: object): void => void child.stdin?.write(`${JSON.stringify(line)}\n`);
    tell({ entrypoint: "main.mjs", code: { "main.mjs": this.#code }, type_stripper: "", env: {}, preload: false });
    tell(this.#request());
    const frames: Frame[] = [];
    for await (const line of createInterface(child.stdio[3] as Readable)) {
      const frame = JSON.parse(line) as Frame;
      frames.push(frame);
      if (frame.type === "interrupt") this.asked.push(frame.key ?? null);
      const answer = this.#answerTo(frame);
      if (answer) tell(answer);
    }
    return frames;
  }

  #answerTo(frame: Frame): object | null {
    const { type, key } = frame;
    if (type.endsWith(".open")) this.#opened.set(key, frame);
    if (type === "wait.abandon") {
      const given = this.#opened.get(key);
      // A wait is sealed as one that ends well.
      this.#keep({ ...given, kind: "abandoned", ok: given?.type === "wait.open" });
    }
    if (type === "step.end") {
      this.#keep(frame);
      return { type: "kept", key };
    }
    const signal = type === "wait.open" ? this.signals.shift() : undefined;
    if (signal !== undefined) return this.#end(frame, { kind: "signal", ok: true, result: JSON.stringify(signal) });
    return frame["agent_id"] === "fast" ? this.#end(frame, success) : null;
  }

  #end({ key, ...call }: Frame, end: object): object {
    return { type: "entry", key, entry: this.#keep({ ...call, key, ...end }) };
  }

  #keep(given: object): Kept {
    const { key, kind, name, branch, position, ok, ...more } = given as Kept & Record<string, unknown>;
    const { result, error, child } = more;
    const entry = {
      ...{ key, kind, name, branch, position, ok },
      args: null,
      result,
      error,
      child,
      place: ++this.#place,
    };
    this.kept.push(entry);
    return entry;
  }

  #request(): object {
    this.#attempt += 1;
    const none = { tries: [], segments: [], waits: [], count: 0 };
    const gap = this.kept.findIndex(({ place }, index) => place !== index + 1);
    const journal = { ...none, entries: this.kept, certain: gap === -1 ? this.kept.length : gap, asked: this.asked };
    const files = { files: {}, env: {}, answers: this.answers, history: [], metadata: {} };
    const request = { run_id: "run", input_payload: {}, state_snapshot: "", attempt: this.#attempt, ...files };
    return this.#attempt === 1 ? request : { ...request, journal };
  }
}

const success = { kind: "child", ok: true, result: "1", child: { run_id: "child", status: "success", code: null } };
