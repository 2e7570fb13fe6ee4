import { queueTtlMs } from "../../../domain/run/run-limits.ts";
import { literal, perRow, sql } from "../../sql.ts";

/**
 * SQL: sets when the run expires: it may wait in the queue for as long as its request and its version's config let it, whatever time it has
 * run before.
 */
export const expiresAnew = sql`expires_at = greatest(runs.expires_at, now() + coalesce(
        least((runs.request_options ->> 'queue_ttl_ms')::double precision, (
          SELECT (v.config -> 'limits' ->> 'queue_ttl_ms')::double precision FROM agent_versions v
          WHERE v.agent_id = runs.agent_id AND v.version = runs.version ${perRow})),
        ${literal(queueTtlMs)}) * interval '1 ms')`;
