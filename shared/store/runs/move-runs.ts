import { type Cause, transitionOf } from "../../domain/run/transitions.ts";
import type { RunStatus } from "../../domain/run/run-status.ts";
import { isTerminal } from "../../domain/run/run-status.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statusIsStill } from "./run-is.ts";

type Move = {
  /** A CTE that names the runs by `id` and `attempt`. Absent: the run `$id`, and where the move names an attempt `$attempt`. */
  source?: string;
  /** What must be so beside what the table of transitions asks for. */
  where?: Sql;
  /** What is set beside the status, the attempt and the lease. */
  set?: Sql;
  /** Columns of `moved` beside id, attempt and what the timeline needs. */
  returning?: Sql;
  /** Where the table of transitions doesn't say it. */
  reason?: Sql;
};

/**
 * SQL of a move, all of it from the move's row in the table of transitions: the CTEs `moved` (the runs that were moved) and
 * `noted` (their timeline). A move to one of several states takes the parameter `$status`.
 */
export function moveRuns(cause: Cause, move: Move): Sql {
  const { from } = transitionOf(cause);
  const returning = [sql`runs.id, runs.attempt`, ...(move.returning ? [move.returning] : [])];
  const update = sql`UPDATE runs SET ${joined(settings(cause, move), ", ")}`;
  if (from.length === 1)
    return sql`
    moved AS (
      ${update} ${raw(move.source ? `FROM ${move.source}` : "")}
      WHERE ${joined(conditions(cause, move), " AND ")}
      RETURNING ${joined(returning, ", ")}
    ), noted AS (
      ${noteMove(cause, { of: "moved", from: literal(from[0] ?? ""), reason: move.reason })}
    )`;
  // The state before is gone when the row is written, so it is read before, under the row's lock.
  return sql`
    seen AS (
      SELECT runs.id, runs.status AS previous FROM runs ${raw(move.source ? `JOIN ${move.source} ON true` : "")}
      WHERE ${joined(conditions(cause, move), " AND ")} FOR UPDATE OF runs
    ), moved AS (
      ${update} FROM seen WHERE runs.id = seen.id
      RETURNING ${joined([...returning, sql`seen.previous`], ", ")}
    ), noted AS (
      ${noteMove(cause, { of: "moved", from: sql`previous`, reason: move.reason })}
    )`;
}

/** Which runs may be moved. */
function conditions(cause: Cause, { source, where }: Move): Sql[] {
  const { from, to, names, unlessCancelling } = transitionOf(cause);
  const given = (name: string): Sql => raw(source ? `${source}.${name}` : `$${name}`);
  return [
    sql`runs.id = ${given("id")}`,
    ...(names === "none" ? [] : [sql`runs.attempt = ${given("attempt")}`]),
    statusIsStill("runs", from),
    ...(unlessCancelling ? [sql`runs.cancel_requested_at IS NULL`] : []),
    ...(to.length > 1 ? [sql`$status IN (${joined(to.map(literal), ", ")})`] : []),
    ...(where ? [where] : []),
  ];
}

/** What becomes of them. A run that waits again belongs to no worker; one that has ended shows which worker had it. */
function settings(cause: Cause, { set }: Move): Sql[] {
  const { from, to, attempt } = transitionOf(cause);
  const leaves = from.some(isHeld) && !to.some(isHeld);
  return [
    sql`status = ${statusAfter(cause)}`,
    ...(attempt === "raise" ? [sql`attempt = runs.attempt + 1`] : []),
    ...(leaves ? [sql`lease_until = NULL`] : []),
    ...(leaves && !to.some(isTerminal) ? [sql`worker_id = NULL`] : []),
    ...(set ? [set] : []),
  ];
}

const isHeld = (status: RunStatus): boolean => transitionOf("finish").from.includes(status);

/** The state that a move leads to. */
export function statusAfter(cause: Cause): Sql {
  const { to } = transitionOf(cause);
  const [only] = to;
  return to.length === 1 && only !== undefined ? sql`${literal(only)}::run_status` : sql`$status::run_status`;
}

/** SQL: writes the timeline of the runs in the CTE `of`, which has their `id` and `attempt`. Nothing else writes it. */
export function noteMove(cause: Cause, move: { of: string; from: Sql; reason: Sql | undefined }): Sql {
  const { actor, reason } = transitionOf(cause);
  const why = reason === undefined ? (move.reason ?? sql`NULL`) : literal(reason);
  return sql`INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, attempt, ${move.from}, ${statusAfter(cause)}, ${actor === "origin" ? sql`$origin::text` : literal(actor)}, ${why}
      FROM ${raw(move.of)}`;
}
