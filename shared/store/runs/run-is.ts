import { terminalStatuses } from "../../domain/run/run-status.ts";
import { transitions } from "../../domain/run/transitions.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";

/** Groups of states, by the moves that lead away from them. */
const groups = {
  queued: transitions.claim.from,
  running: transitions.finish.from,
  scheduled: transitions.release.from,
  interrupted: transitions.resume.from,
  suspended: transitions.wake.from,
  /** No worker has it, and it may expire. */
  waiting: transitions.expire.from,
  /** A worker may take it without anybody's answer, now or later. */
  unstarted: [...transitions.release.from, ...transitions.claim.from],
  open: transitions.complete.from,
  /** It has not ended, and no worker has it. */
  aside: [...transitions.cancel.from, ...transitions.wake_to_cancel.from],
  ended: terminalStatuses,
  succeeded: terminalStatuses.filter((status) => status === "success"),
} as const;

type Group = keyof typeof groups;
type Condition = (run?: string) => Sql;

/**
 * SQL on a row of `runs`, by its name there: the run is in one of these states. The states are literals, so that Postgres
 * can use the partial indexes whose predicates name them.
 */
export const runIs = conditions((run, statuses) => sql`${raw(run)}.status IN (${joined(statuses.map(literal), ", ")})`);

/**
 * The same for a run that is found by its id. Compared as text, or else the planner takes a partial index of that status
 * for the cheaper way, since it was empty when the table was analysed: each claim then reads the whole queue.
 */
export const runIsStill = conditions((run, statuses) => statusIsStill(run, statuses));

export const statusIsStill = (run: string, statuses: readonly string[]): Sql =>
  sql`${raw(run)}.status::text IN (${joined(statuses.map(literal), ", ")})`;

function conditions(compare: (run: string, statuses: readonly string[]) => Sql): Record<Group, Condition> {
  const made = Object.entries(groups).map(
    ([group, statuses]) => [group, (run = "runs") => compare(run, statuses)] satisfies [string, Condition],
  );
  return Object.fromEntries(made) as Record<Group, Condition>;
}
