import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { BuildFence } from "./claim-build.ts";

/** Appends to a build's log and renews its lease. Returns false when the build isn't this worker's any more. */
export async function appendBuildLog(db: Db, build: BuildFence, text: string, leaseMs: number): Promise<boolean> {
  const { agent_id, version, attempts } = build;
  return (await append.count(db.sql, { agent_id, version, attempts, text, lease_ms: leaseMs })) === 1;
}

const append = statement({
  name: "append-build-log",
  takes: { agent_id: t.text, version: t.text, attempts: t.integer, text: t.text, lease_ms: t.double },
  text: sql`
    UPDATE builds SET log = right(log || $text, 262144),
      log_dropped = log_dropped + greatest(length(log || $text) - 262144, 0), lease_until = now() + $lease_ms * interval '1 ms'
    WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'`,
});
