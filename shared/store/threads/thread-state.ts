import { z } from "zod";
import type { threadState } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import { inTransaction } from "../in-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { keepsBusy } from "./busy.ts";

type ThreadState = z.infer<typeof threadState>;
type Row = { id: string; state_snapshot: unknown; updated_at: Date };

const toState = ({ id, state_snapshot, updated_at }: Row): ThreadState => ({
  object: "thread_state",
  thread_id: id,
  state_snapshot: z.string().nullable().parse(state_snapshot),
  updated_at: updated_at.toISOString(),
});

/** Null when the owner has no such thread. */
export async function readThreadState(db: Db, id: string, owner: Owner): Promise<ThreadState | null> {
  const select = { id: true, state_snapshot: true, updated_at: true };
  const row = await db.prisma.thread.findUnique({ where: { id, ...ownedBy(owner) }, select });
  return row && toState(row);
}

/** Sets what the next run of a thread begins with. `busy`: a run has it, and would overwrite it. */
export async function setThreadState(
  db: Db,
  id: string,
  owner: Owner,
  state: string | null,
): Promise<ThreadState | "missing" | "busy"> {
  return inTransaction(db, async (client) => {
    const found = await client.query(
      "SELECT 1 FROM threads WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE",
      [id, owner],
    );
    if (found.rowCount === 0) return "missing";
    const { rows } = await client.query<Row>(
      `UPDATE threads SET state_snapshot = $2, updated_at = now()
       WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM runs WHERE ${keepsBusy("$1")})
       RETURNING id, state_snapshot, updated_at`,
      [id, state === null ? null : JSON.stringify(state)],
    );
    return rows[0] ? toState(rows[0]) : "busy";
  });
}
