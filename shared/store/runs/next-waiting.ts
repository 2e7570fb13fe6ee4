/**
 * SQL on one row (of a CTE) that holds a run which leaves its place: the run of its thread that waits longest. Null without a
 * thread.
 */
export const nextOfThread = (left: string): string => `
  CASE WHEN ${left}.thread_id IS NOT NULL THEN (
    SELECT id FROM runs WHERE runs.thread_id = ${left}.thread_id AND status = 'queued'
    ORDER BY created_at, id LIMIT 1) END`;

/** The same among those of its agent, where that may have so many at once. */
export const nextOfAgent = (left: string): string => `
  CASE WHEN ${left}.concurrency IS NOT NULL THEN (
    SELECT id FROM runs WHERE runs.user_id = ${left}.user_id AND runs.agent_id = ${left}.agent_id AND status = 'queued'
    ORDER BY created_at, id LIMIT 1) END`;
