import type { RunHandle, RunOptions } from "./run-handle.ts";

type Run = (agent: string, input: Record<string, unknown>, options: RunOptions) => RunHandle;

/** A thread of runs of one agent: each message is a run that knows what was said before. */
export class ThreadHandle {
  readonly id: string;
  readonly agent: string;
  readonly #run: Run;

  constructor(run: Run, { id, agent }: { id: string; agent: string }) {
    this.id = id;
    this.agent = agent;
    this.#run = run;
  }

  /** Returns the run of the next message. It starts when it is read. */
  send(input: Record<string, unknown>, options: RunOptions = {}): RunHandle {
    return this.#run(this.agent, input, { ...options, thread_id: this.id });
  }
}
