import { runError, usage } from "../../../schemas/run-event.ts";
import type { UsageEntry } from "../../../schemas/analytics.ts";
import type { Db } from "../../client.ts";
import type { Owner } from "../../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../../read-page.ts";
import { type RunFilter, runListing } from "./list-runs.ts";

/** As listRuns, of each run what it used. */
export function listUsage(db: Db, owner: Owner, filter: RunFilter, page: PageRequest): Promise<Page<UsageEntry>> {
  return readPage(db, { ...runListing(owner, filter), bytes: [], load: (ids: string[]) => load(db, ids) }, page);
}

async function load(db: Db, ids: string[]): Promise<UsageEntry[]> {
  const rows = await db.prisma.run.findMany({
    where: { id: { in: ids } },
    select: {
      id: true,
      agent_id: true,
      version: true,
      user_id: true,
      thread_id: true,
      job_id: true,
      status: true,
      error: true,
      duration_ms: true,
      usage: true,
      created_at: true,
      completed_at: true,
    },
  });
  return rows.map(({ id, usage: used, error, created_at, completed_at, ...row }) => {
    const error_code = runError.nullable().parse(error)?.code ?? null;
    const { cpu_ms = 0, input_tokens = 0, output_tokens = 0, cost_usd = 0 } = usage.nullable().parse(used) ?? {};
    const times = { created_at: created_at.toISOString(), completed_at: completed_at?.toISOString() ?? null };
    return { id, run_id: id, ...row, error_code, cpu_ms, input_tokens, output_tokens, cost_usd, ...times };
  });
}
