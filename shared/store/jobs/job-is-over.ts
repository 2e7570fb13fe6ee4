import { sql } from "../sql.ts";

/** SQL on one row of `jobs`: none of its schedule's ticks comes any more. Jobs have states of their own. */
export const jobIsOver = sql`status IN ('completed', 'cancelled')`;
