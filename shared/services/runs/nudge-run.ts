import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { Db } from "../../store/client.ts";
import type { NewRun } from "../../store/runs/queue/insert-run.ts";
import { findPools } from "../../store/workers/find-pools.ts";

type Deps = { streams: Pick<RunStreams, "signalDaemons">; queue: Pick<RunQueue, "dispatch"> };

/** Asks a worker to take a committed run: the owner of the agent's daemon for a message, else any worker of its pool. */
export const nudgeRun = (
  { streams, queue }: Deps,
  { id, agent_id, lifecycle, pool }: Pick<NewRun, "id" | "agent_id" | "lifecycle" | "pool">,
): Promise<void> => (lifecycle === "daemon" ? streams.signalDaemons("mail", agent_id) : queue.dispatch(id, pool));

/**
 * Asks workers to take runs whose pools the caller doesn't know. Never rejects: the workers' poll finds runs whose nudge was lost.
 */
export async function nudgeRuns(
  { db, queue }: { db: Db; queue: Pick<RunQueue, "dispatch"> },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const pools = await findPools(db, ids).catch(() => []);
  await Promise.allSettled(pools.map(({ id, pool }) => queue.dispatch(id, pool)));
}
