import { z } from "zod";
import type { threadState } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { keepsThreadBusy } from "./keeps-thread-busy.ts";
import { lockThread } from "./lock-thread.ts";

type ThreadState = z.infer<typeof threadState>;
type Row = { id: string; state_snapshot: unknown; updated_at: Date };

const toState = ({ id, state_snapshot, updated_at }: Row): ThreadState => ({
  object: "thread_state",
  thread_id: id,
  state_snapshot: z.string().nullable().parse(state_snapshot),
  updated_at: updated_at.toISOString(),
});

/** Returns null when the owner has no such thread. */
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
    if ((await lockThread.count(client, { id, owner })) === 0) return "missing";
    const row = await setState.first(client, { id, state_snapshot: state });
    return row ? toState(row) : "busy";
  });
}

const setState = statement({
  name: "set-thread-state",
  takes: { id: t.text, state_snapshot: orNull(t.json<string>()) },
  gives: { id: t.text, state_snapshot: orNull(t.json()), updated_at: t.timestamptz },
  text: sql`
    UPDATE threads SET state_snapshot = $state_snapshot, updated_at = now()
    WHERE id = $id AND NOT EXISTS (SELECT 1 FROM runs WHERE ${keepsThreadBusy("runs", sql`$id`)})
    RETURNING id, state_snapshot, updated_at`,
});
