import { salvageStream } from "../../shared/services/runs/salvage-stream.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimedRun } from "../../shared/store/runs/claimed-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

type Deps = { db: Db; streams: RunStreams };

/**
 * Returns what copies into the transcript what a run's earlier attempts left in Redis alone. It does so once, and resolves with
 * whether that is done: it can't be while Redis is away. `fenced` resolves when an event of this attempt is in the stream, so
 * that Redis refuses what an earlier attempt still sends.
 */
export function createSalvage(
  { db, streams }: Deps,
  run: Pick<ClaimedRun, "id" | "attempt" | "lost_attempts">,
  fenced: () => Promise<void>,
): () => Promise<boolean> {
  // An attempt that wasn't lost has written all before the next one began; a grant may also be given back by who can't know
  // whether its worker has begun.
  let isDone = run.attempt === 1 || (run.attempt > 2 && run.lost_attempts === 0);
  let salvaging: Promise<boolean> | null = null;

  async function salvage(): Promise<boolean> {
    try {
      await fenced();
      await untilPostgresAnswers(() => salvageStream(db, streams, run.id, run.attempt - 1));
      isDone = true;
    } catch {
      // Redis is away. The next caller tries again.
    }
    salvaging = null;
    return isDone;
  }

  return async () => isDone || (salvaging ??= salvage());
}
