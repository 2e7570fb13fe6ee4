import { createRedactor } from "../../shared/platform/secrets/redact.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "../context.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { nothingYet, type Remains } from "./attempt-result.ts";
import type { RunOutput } from "../output/run-output.ts";
import { prepareAttempt, type Prepared } from "../prepare/agent-request.ts";
import { UnreadableRun } from "../prepare/read-stored.ts";
import { createFrameTaker } from "./take-frame.ts";

/**
 * Runs an attempt's agent to its end and sends on what it says: redacted, limited, in order. Gives what it left behind.
 * Stopping `hold` ends the agent's process; the iteration then ends by itself.
 */
export async function playAgent(ctx: WorkerContext, attempt: Attempt, hold: Hold, output: RunOutput): Promise<Remains> {
  const remains = nothingYet(attempt);
  const prepared = prepare(ctx, attempt);
  if ("unreadable" in prepared)
    return { ...remains, error: ourFault("run_unreadable", `The run can't be read: ${prepared.unreadable}.`) };
  const { request, secrets, limits } = prepared;
  const { lifecycle, adapter_type } = attempt;
  const adapter = (lifecycle === "interactive" ? ctx.sessions.adapters : ctx.adapters).get(adapter_type);
  if (!adapter)
    return { ...remains, error: ourFault("adapter_unavailable", `No adapter '${attempt.adapter_type}' here.`) };
  if (request.egress && !ctx.sandbox.hasEgress)
    return { ...remains, error: ourFault("network_unavailable", "This worker's sandbox can give no network.") };
  const redact = createRedactor(secrets);
  const take = createFrameTaker(ctx, { attempt, hold, output, remains, redact, limits });
  const share = ctx.loopShares.join();
  try {
    for await (const frame of adapter.run(request, hold.signal)) {
      const startedAt = performance.now();
      await take(frame);
      await share.spend(performance.now() - startedAt, output.sent());
    }
  } finally {
    share.leave();
  }
  // A secret that came in pieces shows when they are joined.
  return { ...remains, outputs: joinText(remains.outputs).map(redact.deep) };
}

/** Another try would read the same row. */
function prepare({ config }: WorkerContext, attempt: Attempt): Prepared | { unreadable: string } {
  try {
    return prepareAttempt(config.encryptionKeys, attempt);
  } catch (error) {
    if (error instanceof UnreadableRun) return { unreadable: error.message };
    throw error;
  }
}

const joinText = (outputs: unknown[]): unknown[] =>
  outputs.length > 0 && outputs.every((part) => typeof part === "string") ? [outputs.join("")] : outputs;

function ourFault(code: string, message: string): Remains["error"] {
  return { code, type: null, message, traceback: null };
}
