import { endRun } from "../runs/end-run.ts";
import { countExpiredRuns, findExpiredRuns } from "../../store/runs/moves/overdue-runs.ts";
import type { InternalJob } from "./internal-job.ts";
import { tryEach } from "./try-each.ts";

const batch = 100;

/** Ends runs that no worker claimed, or whose question nobody answered, in time as `expired`. */
export const expireQueue: InternalJob = {
  name: "expire-queue",
  summary:
    "Ends runs that no worker claimed, or whose question nobody answered, in time. One worker of the fleet does so every five seconds.",
  every_ms: null,
  async run(deps, { dry_run }) {
    if (dry_run) return { overdue: await countExpiredRuns(deps.db) };
    const runs = await findExpiredRuns(deps.db, batch);
    const expired = await tryEach(deps.log, runs, ({ is_interrupted, ...run }) => {
      const [message, reason] = is_interrupted
        ? ["Nobody answered the run's question in time (expires_in_ms of interrupt()).", "unanswered"]
        : ["No worker claimed the run before its queue_ttl_ms was over.", "queue_ttl"];
      const error = { code: "expired", type: null, message, traceback: null };
      const outcome = { status: "expired", result_content: null, error, state_snapshot: null } as const;
      return endRun(deps, run, { cause: "expire", outcome, reason, duration_ms: null });
    });
    return { expired };
  },
};
