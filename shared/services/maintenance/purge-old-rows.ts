import { countOldRows, purgeRows } from "../../store/retention/purge-rows.ts";
import {
  type RetentionPolicy,
  agingAudit,
  agingJobs,
  agingRows,
  agingRuns,
  spentRows,
} from "../../store/retention/retention-policy.ts";
import { countPurgeableRuns, purgeTranscripts } from "../../store/retention/purge-transcripts.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { InternalJob } from "./internal-job.ts";
import { repeatInTurns } from "./repeat-batches.ts";

/** Rows a statement at most. So few that no other statement waits long for their locks. */
const limit = 500;

/** Deletes rows whose retention is over. A run's stream in Redis expires by itself, minutes after the run's end. */
export const purgeOldRows: InternalJob = {
  name: "purge-transcripts",
  summary:
    "Deletes rows whose retention is over: transcripts, artifacts, delivery logs, expired keys, old audit entries and others.",
  every_ms: 600_000,
  async run({ config, db }, { dry_run, signal }) {
    const days = config.retention.days;
    const ages = agesOf(config.retention);
    if (!dry_run)
      return repeatInTurns(
        [
          { name: "transcripts", batch: (rows) => purgeTranscripts(db, days, rows) },
          ...ages.map(([kind, age]) => ({
            name: kind.name,
            batch: (rows: number) => purgeRows(db, kind, age, rows),
          })),
        ],
        { limit, signal },
      );
    const counts: Record<string, number> = { transcripts: await countPurgeableRuns(db, days) };
    for (const [kind, age] of ages) {
      if (signal.aborted) break;
      counts[kind.name] = await countOldRows(db, kind, age);
    }
    return counts;
  },
};

function agesOf({ days, auditDays, runDays }: Config["retention"]): (readonly [RetentionPolicy, number])[] {
  const ages = [...agingRows, ...spentRows].map((kind) => [kind, days] as const);
  const ofRuns = runDays === null ? [] : [agingRuns, agingJobs].map((kind) => [kind, runDays] as const);
  return [...ages, [agingAudit, auditDays], ...ofRuns];
}
