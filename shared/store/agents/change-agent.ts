import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { deleteAllOf } from "../delete-all-of.ts";
import type { Prisma } from "../generated/client.ts";
import { lockRow } from "../prisma-transaction.ts";
import { runIs } from "../runs/run-is.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

export type AgentPatch = { name?: string | undefined; metadata?: Record<string, unknown> | null | undefined };

/** Merges a patch into an agent; concurrent ones go one after the other. Returns false when the owner has no such agent. */
export async function patchAgent(db: Db, id: string, owner: Owner, { name, metadata }: AgentPatch): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "agents", id);
    const agent = await tx.agent.findUnique({ where: { id, ...ownedBy(owner) } });
    if (!agent) return false;
    const merged = mergeMetadata(agent.metadata, metadata);
    await tx.agent.update({
      where: { id },
      data: { name: name ?? agent.name, metadata: merged as Prisma.InputJsonObject, updated_at: new Date() },
    });
    return true;
  });
}

/** The kill switch: a paused agent takes no runs, and those that wait are not begun. Returns false when the owner has no such agent. */
export async function setAgentStatus(db: Db, id: string, owner: Owner, status: "active" | "paused"): Promise<boolean> {
  const { count } = await db.prisma.agent.updateMany({
    where: { id, ...ownedBy(owner) },
    data: { status, updated_at: new Date() },
  });
  return count === 1;
}

/**
 * Removes an agent with its versions, tags, secrets and jobs; its runs stay. `in_use`: a run has not ended, or its daemon
 * has not stopped. A run that is accepted in the same moment ends as an error, since its code is gone.
 */
export async function deleteAgent(db: Db, id: string, owner: Owner): Promise<"deleted" | "missing" | "in_use"> {
  // Committed first: it takes no more runs, deliveries and ticks.
  if ((await stop.count(db.sql, { id, owner })) === 1) {
    await deleteRowsOfAgent(db, id);
    if ((await remove.count(db.sql, { id, owner })) === 1) return "deleted";
  }
  const left = await db.prisma.agent.findUnique({ where: { id, ...ownedBy(owner) }, select: { id: true } });
  return left ? "in_use" : "missing";
}

/** Deletes what an agent may have a great deal of. */
async function deleteRowsOfAgent(db: Db, agent_id: string): Promise<void> {
  const of = { where: { agent_id }, select: { id: true } } as const;
  for (const { id } of await db.prisma.hook.findMany(of)) await deleteAllOf(db, "hook_deliveries", id);
  for (const { id } of await db.prisma.job.findMany(of)) await deleteAllOf(db, "job_ticks", id);
  await deleteAllOf(db, "daemon_logs", agent_id);
}

/** SQL: true for the owner's agent that nothing uses. */
const isUnused = sql`id = $id AND ($owner IS NULL OR user_id = $owner)
      AND NOT EXISTS (SELECT 1 FROM runs WHERE agent_id = $id AND ${runIs.open()})
      AND NOT EXISTS (SELECT 1 FROM daemons WHERE agent_id = $id AND status NOT IN ('stopped', 'failed'))`;

const stop = statement({
  name: "stop-unused-agent",
  takes: { id: t.text, owner: orNull(t.text) },
  text: sql`UPDATE agents SET status = 'paused' WHERE ${isUnused}`,
});

/** The id stays its user's. An API of before there were owners of ids, which runs beside this one in an upgrade, made an agent without. */
const remove = statement({
  name: "delete-agent",
  takes: { id: t.text, owner: orNull(t.text) },
  text: sql`
    WITH claimed AS (
      INSERT INTO agent_owners (agent_id, user_id)
      SELECT id, user_id FROM agents WHERE id = $id AND ($owner IS NULL OR user_id = $owner)
      ON CONFLICT DO NOTHING)
    DELETE FROM agents WHERE ${isUnused}`,
});
