import { setTimeout as sleep } from "node:timers/promises";
import { type CancelDeps, cancelRun } from "../../shared/services/runs/cancel-run.ts";
import type { Caller } from "../http/caller.ts";
import { onceAborted } from "../../shared/platform/lifecycle/once-aborted.ts";

/** A reader whose connection was lost comes back within this time. One that has stopped does not. */
const returnMs = 2_000;

/**
 * Cancels a run when its reader has gone and nobody reads the run at any API process a little later. For protocols whose clients
 * stop a run by closing the connection.
 */
export function cancelWhenLeft(
  deps: CancelDeps & { leaving: AbortSignal },
  runId: string,
  { caller, gone }: { caller: Caller; gone: AbortSignal },
): void {
  const check = async (): Promise<void> => {
    await sleep(returnMs, undefined, { ref: false });
    if (deps.leaving.aborted || (await deps.streams.countReaders(runId)) > 0) return;
    await cancelRun(deps, runId, caller);
  };
  // While Redis or Postgres is unreachable nobody knows, and the run goes on.
  onceAborted(gone, () => void check().catch(() => undefined));
}
