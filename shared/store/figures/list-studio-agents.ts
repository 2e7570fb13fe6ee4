import type { z } from "zod";
import { percentiles } from "../../domain/analytics/histogram.ts";
import type { studioAgent } from "../../schemas/analytics.ts";
import { type AgentFilter, listAgents } from "../agents/list-agents.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import type { Page, PageRequest } from "../read-page.ts";
import { lastRunsOf } from "../runs/last-runs.ts";
import { readFigures } from "./read-figures.ts";
import { addSums, toFigures } from "./to-figures.ts";

type StudioAgent = z.infer<typeof studioAgent>;

/** A page of agents, with the figures of their runs that ended in a stretch of time. */
export async function listStudioAgents(
  db: Db,
  { owner, ...filter }: AgentFilter & { owner: Owner },
  { since, until }: { since: Date; until: Date },
  page: PageRequest,
): Promise<Page<StudioAgent>> {
  const { data: agents, ...ids } = await listAgents(db, owner, filter, page);
  const keys = agents.map(({ id }) => id);
  const subject = { by: "agent", keys } as const;
  const stretch = { since, until, unit: null, timezone: "UTC" };
  const [figures, last] = await Promise.all([readFigures(db, subject, stretch, ["duration"]), lastRunsOf(db, keys)]);
  const figuresOf = new Map(figures.map((each) => [each.key, each]));
  const data = agents.map(({ id, user_id, name, status, current_version }) => ({
    agent_id: id,
    user_id,
    name,
    status,
    current_version,
    ...toFigures(figuresOf.get(id) ?? addSums([])),
    latency_ms: percentiles(figuresOf.get(id)?.spread.duration ?? []),
    last_run_at: last.get(id) ?? null,
  }));
  return { data, ...ids };
}
