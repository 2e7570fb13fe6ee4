import { type Cause, transitionOf } from "../../../domain/run/transitions.ts";
import type { RunStatus } from "../../../domain/run/run-status.ts";
import { isTerminal } from "../../../domain/run/run-status.ts";
import { joined, literal, raw, type Sql, sql } from "../../sql.ts";
import { statusIsStill } from "../run-is.ts";

type Move = {
  /**
   * A CTE that names the runs by `id`, `attempt` and, where the move leads to one of several states, `status`. Absent: the
   * run `$id`, with `$attempt` and `$status`.
   */
  source?: string;
  /** What must be so beside what the table of transitions asks for. */
  where?: Sql;
  /** What is set beside the status, the attempt and the lease. */
  set?: Sql;
  /** Columns of `moved` beside id, attempt and what the timeline needs. */
  returning?: Sql;
  /** Where the table of transitions doesn't say it. */
  reason?: Sql;
  /** Who asked for it. Absent: the service itself. */
  by?: Sql;
};

/**
 * SQL of a move, all of it from the move's row in the table of transitions: the CTEs `moved` (the runs that were moved, with
 * their `status` now and their `previous` one) and `noted` (their timeline). Rows are locked in the order of their ids, so
 * that two statements that move the same runs can't wait for each other. Each is looked up by itself (LATERAL): for a join
 * the planner reads a small table whole, and keeps that plan while the table grows.
 */
export function moveRuns(cause: Cause, move: Move): Sql {
  const { source } = move;
  const seen = sql`SELECT runs.id, runs.status AS previous FROM runs WHERE ${joined(conditions(cause, move), " AND ")} FOR UPDATE`;
  const returning = [
    sql`runs.id, runs.attempt, runs.status, seen.previous`,
    ...(move.returning ? [move.returning] : []),
  ];
  return sql`
    seen AS (
      ${source ? sql`SELECT run.* FROM (SELECT * FROM ${raw(source)} ORDER BY id) AS ${raw(source)}, LATERAL (${seen}) AS run` : seen}
    ), moved AS (
      UPDATE runs SET ${joined(settings(cause, move), ", ")}
      FROM seen ${raw(source ? `JOIN ${source} ON ${source}.id = seen.id` : "")} WHERE runs.id = seen.id
      RETURNING ${joined(returning, ", ")}
    ), noted AS (
      ${noteMove(cause, { of: "moved", from: sql`previous`, reason: move.reason, by: move.by })}
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
    ...(to.length > 1 ? [sql`${given("status")}::text IN (${joined(to.map(literal), ", ")})`] : []),
    ...(where ? [where] : []),
  ];
}

/** What becomes of them. A run that waits again belongs to no worker; one that has ended shows which worker had it. */
function settings(cause: Cause, { source, set }: Move): Sql[] {
  const { from, to, attempt } = transitionOf(cause);
  const leaves = from.some(isHeld) && !to.some(isHeld);
  return [
    sql`status = ${to.length === 1 ? statusAfter(cause) : raw(source ? `${source}.status::run_status` : "$status::run_status")}`,
    ...(attempt === "raise" ? [sql`attempt = runs.attempt + 1`] : []),
    ...(leaves ? [sql`lease_until = NULL`] : []),
    ...(leaves && !to.some(isTerminal) ? [sql`worker_id = NULL`] : []),
    ...(set ? [set] : []),
  ];
}

const isHeld = (status: RunStatus): boolean => transitionOf("finish").from.includes(status);

/** The one state that a move leads to. Throws for a move to one of several. */
export function statusAfter(cause: Cause): Sql {
  const [only, ...others] = transitionOf(cause).to;
  if (only === undefined || others.length > 0) throw new Error(`The move '${cause}' leads to one of several states.`);
  return sql`${literal(only)}::run_status`;
}

/** SQL: writes the timeline of the runs in the CTE `of`, which has their `id`, `attempt` and `status`. Nothing else writes it. */
export function noteMove(
  cause: Cause,
  move: { of: string; from: Sql; reason: Sql | undefined; by: Sql | undefined },
): Sql {
  const { actor, reason } = transitionOf(cause);
  const why = reason === undefined ? (move.reason ?? sql`NULL`) : literal(reason);
  return sql`INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, actor_id, reason)
      SELECT id, attempt, ${move.from}, status, ${actor === "origin" ? sql`origin::text` : literal(actor)},
        ${move.by ?? sql`NULL`}, ${why}
      FROM ${raw(move.of)}`;
}
