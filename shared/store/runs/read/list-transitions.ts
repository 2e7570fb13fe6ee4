import type { RunTransition } from "../../../schemas/run-history.ts";
import type { Db } from "../../client.ts";

/** Each move of a run, the first one first. */
export async function listTransitions(db: Db, run_id: string): Promise<RunTransition[]> {
  const rows = await db.prisma.runTransition.findMany({ where: { run_id }, orderBy: { seq: "asc" } });
  return rows.map(({ attempt, from, to, actor, actor_id, reason, at }) => ({
    attempt,
    from,
    to,
    actor,
    actor_id,
    reason,
    at: at.toISOString(),
  }));
}
