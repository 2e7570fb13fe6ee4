import { raw, type Sql, sql } from "../sql.ts";

/** SQL on a row of `thread_messages`: its bytes. A message of an earlier release has to be read to be measured. */
export const messageBytes = (message: string): Sql =>
  sql`coalesce(${raw(message)}.bytes, octet_length(${raw(message)}.content::text))`;
