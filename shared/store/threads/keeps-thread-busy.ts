import { runIs } from "../runs/run-is.ts";
import { raw, type Sql, sql } from "../sql.ts";

/**
 * SQL on a row of `runs`: the run keeps its thread busy. An interrupted or suspended run does not, nor one whose time has not come. Each half is the predicate of a
 * partial index, so that a long thread costs no more than a short one.
 */
export const keepsThreadBusy = (run: string, thread: Sql): Sql => {
  const isOfThread = sql`${raw(run)}.thread_id = ${thread}`;
  return sql`((${isOfThread} AND ${runIs.unstarted(run)} AND NOT (${runIs.scheduled(run)} AND ${raw(run)}.attempt = 0)) OR (${isOfThread} AND ${runIs.running(run)}))`;
};
