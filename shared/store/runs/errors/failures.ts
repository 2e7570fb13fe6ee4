import { createHash } from "node:crypto";
import { type ErrorTraits, frameOf, traitsOf } from "../../../domain/run/error-fingerprint.ts";
import type { RunStatus } from "../../../domain/run/run-status.ts";
import { runRecord } from "../../../schemas/run.ts";
import type { Db } from "../../client.ts";
import { orNull, listOf, t } from "../../columns.ts";
import type { Owner } from "../../owned-by.ts";
import { query } from "../../query.ts";
import { joined, literal, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { type Condition, whereClause } from "../../where-clause.ts";

/** A run that failed, and what its error is told apart by. */
export type Failure = {
  run_id: string;
  user_id: string;
  agent_id: string;
  version: string;
  created_at: Date;
  code: string;
  type: string | null;
  message: string;
  /** Where it was raised. */
  frame: string | null;
  fingerprint: string;
};

export type FailureFilter = { agent_id?: string | undefined; version?: string | undefined; since: Date; until: Date };

/** So many of the newest failed runs are looked at. */
const mostFailures = 5_000;
/** Errors may have long tracebacks: so many are in memory at once. */
const batch = 250;
const failed: readonly RunStatus[] = ["error", "timeout", "expired"];

/** Returns the newest failed runs that match, newest first. `more`: there are more than are looked at. */
export async function readFailures(
  db: Db,
  owner: Owner,
  filter: FailureFilter,
): Promise<{ failures: Failure[]; more: boolean }> {
  const { agent_id, version, since, until } = filter;
  const conditions: Condition[] = [
    ["user_id = ?", owner],
    ["agent_id = ?", agent_id],
    ["version = ?", version],
    ["created_at >= ?", since],
    ["created_at < ?", until],
  ];
  const newest = (status: RunStatus): Sql => sql`(
    SELECT id, created_at FROM runs WHERE status = ${literal(status)} AND ${whereClause(conditions)}
    ORDER BY created_at DESC, id DESC LIMIT ${literal(mostFailures + 1)})`;
  const found = await query(
    db.sql,
    { id: t.text },
    sql`SELECT id FROM (${joined(failed.map(newest), " UNION ALL ")}) AS failed
      ORDER BY created_at DESC, id DESC LIMIT ${literal(mostFailures + 1)}`,
  );
  const ids = found.slice(0, mostFailures).map(({ id }) => id);
  const failures: Failure[] = [];
  for (let at = 0; at < ids.length; at += batch)
    failures.push(...(await readBatch(db, ids.slice(at, at + batch))).map(({ failure }) => failure));
  return { failures, more: found.length > mostFailures };
}

/** Returns a failed run's traceback. */
export async function readTraceback(db: Db, run_id: string): Promise<string | null> {
  return (await readBatch(db, [run_id]))[0]?.traceback ?? null;
}

async function readBatch(db: Db, ids: string[]): Promise<{ failure: Failure; traceback: string | null }[]> {
  return (await read.rows(db.sql, { ids })).map(({ error, status, ...run }) => {
    const { traceback, ...known }: Omit<ErrorTraits, "agent_id"> = runRecord.shape.error.parse(error) ?? {
      ...{ code: status, type: null, message: `The run ended as ${status}.`, traceback: null },
    };
    const traits = traitsOf({ ...known, agent_id: run.agent_id, traceback });
    const fingerprint = createHash("sha256").update(traits).digest("hex").slice(0, 32);
    return { failure: { ...run, ...known, frame: frameOf(traceback), fingerprint }, traceback };
  });
}

const read = statement({
  name: "read-failures",
  takes: { ids: listOf(t.text) },
  gives: {
    run_id: t.text,
    user_id: t.text,
    agent_id: t.text,
    version: t.text,
    created_at: t.timestamptz,
    status: t.enumeration<RunStatus>("run_status"),
    error: orNull(t.json()),
  },
  text: sql`
    SELECT id AS run_id, user_id, agent_id, version, created_at, status,
      CASE WHEN pg_column_size(error) <= 65536 THEN error END AS error
    FROM runs WHERE id = ANY($ids) ORDER BY created_at DESC, id DESC`,
});
