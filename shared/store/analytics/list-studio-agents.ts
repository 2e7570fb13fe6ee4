import type { z } from "zod";
import { percentiles } from "../../domain/analytics/histogram.ts";
import type { studioAgent } from "../../schemas/analytics.ts";
import { type AgentFilter, listAgents } from "../agents/list-agents.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Owner } from "../owned-by.ts";
import type { Page, PageRequest } from "../read-page.ts";
import { readAnalytics } from "./read-analytics.ts";
import { addSums, toAnalytics } from "./to-analytics.ts";

type StudioAgent = z.infer<typeof studioAgent>;

/** A page of agents, with the figures of their runs that ended in a time range. */
export async function listStudioAgents(
  db: Db,
  { owner, ...filter }: AgentFilter & { owner: Owner },
  { since, until }: { since: Date; until: Date },
  page: PageRequest,
): Promise<Page<StudioAgent>> {
  const { data: agents, ...ids } = await listAgents(db, owner, filter, page);
  const keys = agents.map(({ id }) => id);
  const subject = { by: "agent", keys } as const;
  const range = { since, until, unit: null, timezone: "UTC" };
  const [figures, last] = await Promise.all([readAnalytics(db, subject, range, ["duration"]), lastRunsOf(db, keys)]);
  const figuresOf = new Map(figures.map((each) => [each.key, each]));
  const data = agents.map(({ id, user_id, name, status, current_version }) => ({
    agent_id: id,
    user_id,
    name,
    status,
    current_version,
    ...toAnalytics(figuresOf.get(id) ?? addSums([])),
    latency_ms: percentiles(figuresOf.get(id)?.spread.duration ?? []),
    last_run_at: last.get(id) ?? null,
  }));
  return { data, ...ids };
}

/** When the last run of each of these agents was made; without those that never ran. */
async function lastRunsOf(db: Db, agentIds: string[]): Promise<Map<string, string>> {
  const rows = await lastRuns.rows(db.sql, { agent_ids: agentIds });
  return new Map(rows.flatMap(({ agent_id, at }) => (at ? [[agent_id, at.toISOString()]] : [])));
}

const lastRuns = statement({
  name: "last-runs-of-agents",
  takes: { agent_ids: listOf(t.text) },
  gives: { agent_id: t.text, at: orNull(t.timestamptz) },
  text: sql`
    SELECT agent_id, (SELECT max(created_at) FROM runs WHERE runs.agent_id = asked.agent_id) AS at
    FROM unnest($agent_ids) AS asked (agent_id)`,
});
