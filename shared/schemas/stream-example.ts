import { exampleOf } from "./example-of.ts";
import { runRecord } from "./run.ts";
import { type RunEvent, sandboxReport } from "./run-event.ts";

const run = exampleOf(runRecord);
const at = (attempt: number, seq: number) => ({ run_id: run.id, attempt, seq, ts: "2026-11-21T10:00:00.000Z" });

/** The events of a short run. */
export const exampleEvents: RunEvent[] = [
  {
    type: "run.queued",
    ...at(0, 1),
    status: "queued",
    agent_id: run.agent_id,
    version: run.version,
    thread_id: null,
    queue: { position: 1, wait_reason: null },
  },
  {
    type: "run.started",
    ...at(1, 1),
    worker_id: String(run.worker_id),
    adapter_type: run.adapter_type,
    runtime_mode: run.runtime_mode,
    lifecycle: run.lifecycle,
    sandbox: exampleOf(sandboxReport),
    warm: false,
    follows: "0-1",
  },
  { type: "output.delta", ...at(1, 2), content: "Hello, Ada" },
  {
    type: "run.success",
    ...at(1, 3),
    status: "success",
    result_content: run.result_content,
    error: null,
    partial: null,
    state_snapshot: null,
    usage: run.usage,
    duration_ms: 1194,
  },
];

/** The stream of a short run, as Server-Sent Events and with `?format=text`. */
export const streamExample = {
  "text/event-stream": exampleEvents
    .map((event) => `id: ${event.attempt}-${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
  "text/plain": "Hello, Ada",
};
