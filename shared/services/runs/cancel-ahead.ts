import { cancelRun } from "./cancel-run.ts";
import { findAhead } from "../../store/threads/find-ahead.ts";

/** Cancels what keeps a run's thread from it: the strategy `interrupt`. Safe to repeat. */
export async function cancelAhead(
  deps: Parameters<typeof cancelRun>[0],
  run: { id: string; thread_id: string | null },
): Promise<void> {
  if (run.thread_id === null) return;
  // The newest first, so that none of those that wait is begun in between.
  for (const id of await findAhead(deps.db, run.thread_id, run.id)) await cancelRun(deps, id, null);
}
