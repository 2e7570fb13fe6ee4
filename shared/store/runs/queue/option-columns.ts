import { sql } from "../../sql.ts";

/** SQL on a row with `request_options`: the columns of `runs` for `priority` and `concurrency_key`. */
export const optionColumns = sql`(request_options ->> 'priority')::int, request_options ->> 'concurrency_key'`;
