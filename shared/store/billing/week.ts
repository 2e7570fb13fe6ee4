import { sql } from "../sql.ts";

/** SQL on `billing_accounts`: whether an account's week is over. A week begins on the weekday and hour of its first. */
export const isWeekOver = sql`week_started_at <= now() - interval '7 days'`;

/** SQL: when the week began that is now. */
export const weekStart = sql`week_started_at
  + floor(extract(epoch FROM now() - week_started_at) / extract(epoch FROM interval '7 days')) * interval '7 days'`;
