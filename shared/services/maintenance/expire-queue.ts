import { endRun } from "../runs/end-run.ts";
import { countExpiredRuns } from "../../store/runs/moves/overdue-runs.ts";
import { findExpiredRuns } from "../../store/runs/moves/overdue-runs.ts";
import type { InternalJob } from "./internal-job.ts";

const batch = 100;

/** Ends runs that no worker claimed in time as `expired`. */
export const expireQueue: InternalJob = {
  name: "expire-queue",
  summary: "Ends runs that no worker claimed in time. One worker of the fleet does so every five seconds.",
  every_ms: null,
  async run(deps, { dry_run }) {
    if (dry_run) return { overdue: await countExpiredRuns(deps.db) };
    const counts = { expired: 0 };
    for (const run of await findExpiredRuns(deps.db, batch)) {
      const message = "No worker claimed the run before its queue_ttl_ms was over.";
      const error = { code: "expired", type: null, message, traceback: null };
      const outcome = { status: "expired", result_content: null, error, state_snapshot: null } as const;
      if (await endRun(deps, run, { cause: "expire", outcome, reason: "queue_ttl", duration_ms: null }))
        counts.expired += 1;
    }
    return counts;
  },
};
