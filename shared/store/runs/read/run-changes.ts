import type { MoveCursor } from "../../../domain/run/move-cursor.ts";
import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { RunError, Usage } from "../../../schemas/run-event.ts";
import type { RunListItem } from "../../../schemas/run.ts";
import type { Queryable } from "../../client.ts";
import { listOf, orNull, type Row, t } from "../../columns.ts";
import { readHorizon } from "../../read-horizon.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** Moves of runs, in the order of a cursor. `from`: null for a run's first move. */
export type Move = { place: MoveCursor; run_id: string; from: RunStatus | null; to: RunStatus };

/** Returns the place before everything that isn't committed yet. */
export async function readPresentPlace(client: Queryable): Promise<MoveCursor> {
  return { xact: await readHorizon(client), seq: 0n };
}

/**
 * Returns the moves of all runs behind a place, in an order to which nothing is ever added before what was read: by the
 * transactions that wrote them, up to the horizon.
 */
export async function readMoves(client: Queryable, { xact, seq }: MoveCursor, limit: number): Promise<Move[]> {
  const horizon = String(await readHorizon(client));
  const rows = await follow.rows(client, { xact: String(xact), seq: String(seq), horizon, limit });
  return rows.map(({ xact: at, seq: number, ...move }) => ({
    ...move,
    place: { xact: BigInt(at), seq: BigInt(number) },
  }));
}

const status = t.enumeration<RunStatus>("run_status");

const follow = statement({
  name: "follow-moves",
  takes: { xact: t.bigint, seq: t.bigint, horizon: t.bigint, limit: t.integer },
  gives: { xact: t.bigint, seq: t.bigint, run_id: t.text, from: orNull(status), to: status },
  text: sql`
    SELECT xact, seq, run_id, "from", "to" FROM run_transitions
    WHERE xact >= $xact AND (xact, seq) > ($xact, $seq) AND xact < $horizon
    ORDER BY xact, seq LIMIT $limit`,
});

const columns = {
  id: t.text,
  user_id: t.text,
  agent_id: t.text,
  version: t.text,
  thread_id: orNull(t.text),
  job_id: orNull(t.text),
  replay_of: orNull(t.text),
  parent_run_id: orNull(t.text),
  root_run_id: orNull(t.text),
  worker_id: orNull(t.text),
  origin: t.enumeration<RunListItem["origin"]>("run_origin"),
  lifecycle: t.text,
  status,
  attempt: t.integer,
  max_attempts: t.integer,
  labels: listOf(t.text),
  created_at: t.timestamptz,
  queued_at: t.timestamptz,
  scheduled_at: orNull(t.timestamptz),
  started_at: orNull(t.timestamptz),
  completed_at: orNull(t.timestamptz),
  duration_ms: orNull(t.integer),
  usage: orNull(t.json<Usage>()),
  error: orNull(t.json<RunError>()),
  input_preview: orNull(t.text),
};

/** A run as those see it who follow all runs. */
export type MovedRun = Row<typeof columns>;

/** What is large as it is stored is not read. */
export async function readMovedRuns(client: Queryable, ids: string[]): Promise<MovedRun[]> {
  return read.rows(client, { ids });
}

const read = statement({
  name: "read-moved-runs",
  takes: { ids: listOf(t.text) },
  gives: columns,
  text: sql`
    SELECT id, user_id, agent_id, version, thread_id, job_id, replay_of, parent_run_id, root_run_id, worker_id, origin, lifecycle, status,
      attempt - taken_over::integer AS attempt, max_attempts, labels, created_at, coalesce(due_at, created_at) AS queued_at,
      scheduled_at, started_at, completed_at, duration_ms, usage,
      CASE WHEN pg_column_size(error) <= 65536 THEN error END AS error,
      CASE WHEN pg_column_size(input_payload) <= 65536 THEN nullif(left(input_payload::text, 200), 'null') END AS input_preview
    FROM runs WHERE id = ANY($ids)`,
});
