import { onceAborted } from "../../shared/platform/lifecycle/once-aborted.ts";
import { type CancelDeps, cancelRun } from "../../shared/services/runs/cancel-run.ts";
import type { Caller } from "../http/caller.ts";
import { cutByService } from "../http/until-gone.ts";

/** Cancels a run when its client disconnects. A client whose connection this service ends did not ask for that. */
export function cancelOnDisconnect(
  deps: CancelDeps & { leaving: AbortSignal },
  runId: string,
  { caller, gone }: { caller: Caller; gone: AbortSignal },
): void {
  onceAborted(gone, () => {
    if (deps.leaving.aborted || gone.reason === cutByService) return;
    void cancelRun(deps, runId, caller).catch(() => undefined);
  });
}
