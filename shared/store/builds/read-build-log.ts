import type { EventId } from "../../domain/run/event-id.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type BuildLog = {
  /** What was printed behind the cursor, in parts of 64 KiB. */
  text: string;
  /** The build's attempt, and how many characters of its log are read now. */
  at: EventId;
  /** How many characters its log has. */
  length: number;
  state: "building" | "ready" | "failed";
  error: string | null;
};

type VersionRef = { agent_id: string; version: string };

/** Reads on in a build's log. Where another attempt has begun, from its start. Returns null when the version has no build. */
export async function readBuildLog(
  db: Db,
  { agent_id, version }: VersionRef,
  { attempt, seq }: EventId,
): Promise<BuildLog | null> {
  const row = await read.first(db.sql, { agent_id, version, attempt, seq });
  if (!row) return null;
  const { text, length, state, error, begins, attempts } = row;
  // Postgres counts characters, as the cursor does, and not UTF-16 units.
  const at = { attempt: attempts, seq: begins + [...text].length };
  return { text, at, length, state: state as BuildLog["state"], error };
}

const read = statement({
  name: "read-build-log",
  takes: { agent_id: t.text, version: t.text, attempt: t.integer, seq: t.integer },
  gives: {
    state: t.text,
    error: orNull(t.text),
    attempts: t.integer,
    begins: t.integer,
    length: t.integer,
    text: t.text,
  },
  text: sql`
    SELECT state::text AS state, error, attempts, begins, log_dropped + length(log) AS length,
      substr(log, begins - log_dropped + 1, 65536) AS text
    FROM builds, LATERAL (SELECT greatest(CASE WHEN attempts = $attempt THEN $seq ELSE 0 END, log_dropped) AS begins) AS b
    WHERE agent_id = $agent_id AND version = $version`,
});
