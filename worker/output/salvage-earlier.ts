import { salvageStream } from "../../shared/services/runs/salvage-stream.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimedRun } from "../../shared/store/runs/queue/claimed-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

type Deps = { db: Db; streams: Pick<RunStreams, "read"> };
/** What is known of an attempt before it says anything. */
export type OutputRun = Pick<ClaimedRun, "id" | "attempt" | "lost_attempts" | "requeue_reason">;

/**
 * Returns a function that copies into the transcript what a run's earlier attempts left in Redis alone. `isFenced` says whether
 * an event of this attempt is in Redis: from then on Redis refuses what an earlier attempt still sends. The function resolves
 * with true when it has copied all behind that fence, and does nothing more then. It resolves with false while there is no fence
 * or no Redis: call it again.
 */
export function createSalvage(
  { db, streams }: Deps,
  run: OutputRun,
  isFenced: () => Promise<boolean>,
): () => Promise<boolean> {
  // An attempt that wasn't lost has written all before it ended. Who gives a grant back can't know whether its worker has begun.
  let isDone = run.attempt === 1 || (run.lost_attempts === 0 && run.requeue_reason !== "not_started");
  let salvaging: Promise<boolean> | null = null;
  // Only Postgres is waited for.
  const read: RunStreams["read"] = (...given) =>
    streams.read(...given).catch(() => {
      throw new Error("Redis is away");
    });

  async function salvage(): Promise<boolean> {
    try {
      const fenced = await isFenced();
      await untilPostgresAnswers(() => salvageStream(db, { read }, run.id, run.attempt - 1));
      isDone = fenced;
    } catch {
      // Redis is away. The next caller tries again.
    }
    salvaging = null;
    return isDone;
  }

  return async () => isDone || (salvaging ??= salvage());
}
