/**
 * SQL: a row of `runs` that is found by its id is in one of these states. Compared as text, or else the planner takes a partial
 * index of that status for the cheaper way, since it was empty when the table was analysed: each claim then reads the whole queue.
 */
export const hasStatus = (run: string, ...status: string[]): string =>
  `${run}.status::text IN (${status.map((name) => `'${name}'`).join(", ")})`;
