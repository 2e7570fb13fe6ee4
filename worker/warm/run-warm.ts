import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { Replies } from "../adapters/adapter.ts";
import { readProcess } from "../adapters/read-process.ts";
import type { InterpreterPool, Taken } from "./interpreter-pool.ts";
import { LoadingStopped, type InterpreterRequest } from "./load.ts";

/** A run and the adapter's own first frames. `started.warm` is filled in here. */
export type WarmRun = InterpreterRequest & { opening: Frame[]; replies?: Replies | undefined };

/** Executes a run in an interpreter of the pool. */
export async function* runWarm(pool: InterpreterPool, run: WarmRun): AsyncGenerator<Frame> {
  const { opening, signal, replies } = run;
  let taken: Taken;
  try {
    taken = await pool.take(run);
  } catch (error) {
    if (!signal.aborted) throw error;
    yield* opening;
    const cpu_ms = error instanceof LoadingStopped ? error.spentMs : null;
    yield { type: "exit", code: null, signal: "SIGKILL", limit: null, cpu_ms, max_rss_bytes: null };
    return;
  }
  try {
    yield* readProcess(taken.run(), {
      opening: openingOf(opening, taken),
      signal,
      replies,
      stop_grace_ms: run.request.stop_grace_ms,
    });
  } finally {
    taken.giveBack();
  }
}

function openingOf(opening: Frame[], { warm, note }: Taken): Frame[] {
  const begun = opening.map((frame) => (frame.type === "started" ? { ...frame, warm } : frame));
  const said: AgentFrame[] = note === null ? [] : [{ type: "log", level: "info", stream: "agent", message: note }];
  return [...begun, ...said];
}
