import { countOldRows, purgeRows } from "../../store/retention/purge-rows.ts";
import {
  type RetentionPolicy,
  agingAudit,
  agingRows,
  agingRuns,
  spentRows,
} from "../../store/retention/retention-policy.ts";
import { countPurgeableRuns, purgeTranscripts as purgeBatch } from "../../store/retention/purge-transcripts.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { InternalJob } from "./internal-job.ts";
import { repeatBatches } from "./repeat-batches.ts";

/** Rows a statement. So few that no other statement waits long for their locks. */
const limit = 500;

/** Deletes rows whose retention is over. A run's stream in Redis expires by itself, minutes after the run's end. */
export const purgeTranscripts: InternalJob = {
  name: "purge-transcripts",
  summary:
    "Deletes rows whose retention is over: transcripts, artifacts, delivery logs, expired keys, old audit entries and others.",
  every_ms: 600_000,
  async run({ config, db }, { dry_run, signal }) {
    const days = config.retention.days;
    const counts: Record<string, number> = {
      transcripts: dry_run
        ? await countPurgeableRuns(db, days)
        : await repeatBatches((batch) => purgeBatch(db, days, batch), { limit, signal }),
    };
    for (const [kind, age] of agesOf(config.retention)) {
      if (signal.aborted) break;
      counts[kind.name] = dry_run
        ? await countOldRows(db, kind, age)
        : await repeatBatches((batch) => purgeRows(db, kind, age, batch), { limit, signal });
    }
    return counts;
  },
};

function agesOf({ days, auditDays, runDays }: Config["retention"]): (readonly [RetentionPolicy, number])[] {
  const ages = [...agingRows, ...spentRows].map((kind) => [kind, days] as const);
  return [...ages, [agingAudit, auditDays], ...(runDays === null ? [] : [[agingRuns, runDays] as const])];
}
