import { type RunCall, runCall } from "../../schemas/run-call.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A run's calls that have ended, in the order of their ends. */
export function listCalls(db: Db, run_id: string, page: PageRequest): Promise<Page<RunCall>> {
  const listing = {
    table: "run_calls",
    key: "id",
    within: [["run_id = ?", run_id]],
    bytes: [],
    load: async (ids: string[]) =>
      (await db.prisma.runCall.findMany({ where: { id: { in: ids } } })).map((row) => {
        const { input_tokens, cached_tokens, output_tokens, cost_micro_usd, request_bytes, response_bytes } = row;
        return runCall.parse({
          ...row,
          object: "call",
          input_tokens: Number(input_tokens),
          cached_tokens: Number(cached_tokens),
          output_tokens: Number(output_tokens),
          cost_micro_usd: cost_micro_usd === null ? null : Number(cost_micro_usd),
          request_bytes: Number(request_bytes),
          response_bytes: Number(response_bytes),
          created_at: row.created_at.toISOString(),
        });
      }),
  } as const;
  return readPage(db, listing, page);
}

/** What a run's calls have cost so far. `calls`: how many were counted. */
export type CallSums = { calls: number; input_tokens: number; output_tokens: number; cost_micro_usd: number };

/** Returns what the calls of a run's attempts before this one have cost. */
export async function sumCalls(db: Db, run_id: string, attempt: number): Promise<CallSums> {
  const row = await sums.first(db.sql, { run_id, attempt });
  return row ?? { calls: 0, input_tokens: 0, output_tokens: 0, cost_micro_usd: 0 };
}

const sums = statement({
  name: "sum-run-calls",
  takes: { run_id: t.text, attempt: t.integer },
  gives: { calls: t.integer, input_tokens: t.double, output_tokens: t.double, cost_micro_usd: t.double },
  text: sql`
    SELECT count(*)::int AS calls, coalesce(sum(input_tokens), 0)::double precision AS input_tokens,
      coalesce(sum(output_tokens), 0)::double precision AS output_tokens,
      coalesce(sum(cost_micro_usd), 0)::double precision AS cost_micro_usd
    FROM run_calls WHERE run_id = $run_id AND attempt < $attempt AND counted IN ('metered', 'estimated')`,
});
