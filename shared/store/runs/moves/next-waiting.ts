import { raw, type Sql, sql } from "../../sql.ts";
import { runIs } from "../run-is.ts";

/** SQL on one row of a CTE that holds a run which no longer runs: its thread's run that has waited for longest, if any. */
export const nextOfThread = (left: string): Sql => sql`
  CASE WHEN ${raw(left)}.thread_id IS NOT NULL THEN (
    SELECT id FROM runs WHERE runs.thread_id = ${raw(left)}.thread_id AND ${runIs.queued()}
    ORDER BY created_at, id LIMIT 1) END`;

/** The same for its agent's runs, where the agent may have only so many running at once: of all, or with one key. */
export const nextOfAgent = (left: string): Sql => sql`
  CASE WHEN ${raw(left)}.concurrency IS NOT NULL OR ${raw(left)}.concurrency_key IS NOT NULL THEN (
    SELECT id FROM runs WHERE runs.user_id = ${raw(left)}.user_id AND runs.agent_id = ${raw(left)}.agent_id
      AND ${runIs.queued()}
      AND (${raw(left)}.concurrency IS NOT NULL OR runs.concurrency_key = ${raw(left)}.concurrency_key)
    ORDER BY created_at, id LIMIT 1) END`;
