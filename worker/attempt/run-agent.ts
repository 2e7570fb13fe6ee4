import { createRedactor } from "../../shared/platform/secrets/redact.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { WorkerContext } from "../context.ts";
import type { Hold } from "../lease/hold-leases.ts";
import type { RunOutput } from "../output/run-output.ts";
import { prepareAttempt, type Prepared } from "../prepare/agent-request.ts";
import { UnreadableRun } from "../prepare/read-stored-run.ts";
import type { Attempt } from "./attempt.ts";
import { type AttemptResult, emptyResult } from "./attempt-result.ts";
import { createFrameHandler } from "./handle-frames.ts";

export type RunAgentDeps = Pick<WorkerContext, "config" | "db" | "workerId" | "sandbox" | "loopShares"> & {
  /** What runs an attempt's agent; null where this worker has no such adapter. */
  adapterFor(attempt: Attempt): Adapter | null;
};

/**
 * Runs an attempt's agent to its end and publishes what it says: redacted, limited, in order. Returns what the attempt left
 * behind. Stopping `hold` ends the agent's process; the iteration then ends by itself.
 */
export async function runAgent(
  deps: RunAgentDeps,
  attempt: Attempt,
  hold: Hold,
  output: RunOutput,
): Promise<AttemptResult> {
  const result = emptyResult();
  const prepared = prepare(deps, attempt);
  if ("unreadable" in prepared)
    return { ...result, error: ourError("run_unreadable", `The run can't be read: ${prepared.unreadable}.`) };
  const { request, secrets, limits } = prepared;
  const adapter = deps.adapterFor(attempt);
  if (!adapter)
    return {
      ...result,
      error: ourError("adapter_unavailable", `This worker has no adapter '${attempt.adapter_type}'.`),
    };
  if (request.egress && !deps.sandbox.hasEgress)
    return { ...result, error: ourError("network_unavailable", "This worker's sandbox has no network to give.") };
  const redact = createRedactor(secrets);
  const handle = createFrameHandler(deps, { attempt, hold, output, result, redact, limits });
  const share = deps.loopShares.join();
  try {
    for await (const frame of adapter.run(request, hold.signal)) {
      const startedAt = performance.now();
      await handle(frame);
      await share.spend(performance.now() - startedAt, output.sent());
    }
  } finally {
    share.leave();
  }
  // A secret that was split over several outputs is whole only in the joined text.
  return { ...result, outputs: joinText(result.outputs).map(redact.deep) };
}

/** A row that can't be read is not thrown, because another attempt would read the same row. */
function prepare({ config }: RunAgentDeps, attempt: Attempt): Prepared | { unreadable: string } {
  try {
    return prepareAttempt(config.encryptionKeys, attempt);
  } catch (error) {
    if (error instanceof UnreadableRun) return { unreadable: error.message };
    throw error;
  }
}

const joinText = (outputs: unknown[]): unknown[] =>
  outputs.length > 0 && outputs.every((part) => typeof part === "string") ? [outputs.join("")] : outputs;

function ourError(code: string, message: string): RunError {
  return { code, type: null, message, traceback: null };
}
