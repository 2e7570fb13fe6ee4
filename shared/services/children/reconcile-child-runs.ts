import { queueTtlMs } from "../../domain/run/run-limits.ts";
import type { Log } from "../../platform/log.ts";
import { endChildWaits } from "../../store/children/end-child-waits.ts";
import {
  findRunsToCancel,
  findEndedParents,
  findUnnotifiedParents,
} from "../../store/children/find-unsettled-parents.ts";
import { tryEach } from "../maintenance/try-each.ts";
import { cancelChildren, type CancelDeps, cancelRun } from "../runs/cancel-run.ts";
import { nudgeRuns } from "../runs/nudge-run.ts";

const batch = 100;

/** Tells a run that runs which it has started have ended, and queues it if it waited for them. May be repeated. */
export async function tellParent({ db, queue, streams }: CancelDeps, parent_run_id: string): Promise<boolean> {
  const told = await endChildWaits(db, parent_run_id, queueTtlMs);
  // Both may be lost: the worker looks by itself, and its poll finds the queued run.
  if (told?.woken) await nudgeRuns({ db, queue }, [parent_run_id]);
  else if (told?.worker_id)
    await streams.signalWorker(told.worker_id, { kind: "input", run_id: parent_run_id }).catch(() => undefined);
  return told?.woken === true;
}

/** Does what whoever ended a run has not done for the run that has started it and for those that it has started. */
export async function reconcileChildRuns(
  deps: CancelDeps & { log: Log },
): Promise<{ woken: number; cancelled: number }> {
  const each = (ids: readonly string[], act: (id: string) => Promise<boolean>) =>
    tryEach(
      deps.log,
      ids.map((id) => ({ id })),
      ({ id }) => act(id),
    );
  const woken = await each(await findUnnotifiedParents(deps.db, batch), (id) => tellParent(deps, id));
  await each(await findEndedParents(deps.db, batch), (id) => cancelChildren(deps, id, null).then(() => true));
  const cancelled = await each(await findRunsToCancel(deps.db, batch), (id) =>
    cancelRun(deps, id, { owner: null, actor: null }),
  );
  return { woken, cancelled };
}
