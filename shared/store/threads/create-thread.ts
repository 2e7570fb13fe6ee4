import { labelsOf } from "../../domain/run/labels.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { inTransaction } from "../in-transaction.ts";

export type NewThread = {
  id: string;
  user_id: string;
  agent_id: string | null;
  title: string | null;
  metadata: Record<string, unknown>;
  tags: string[];
  state_snapshot: string | null;
};

/** `full`: the user has `most` already. Of concurrent calls for one id the key lets one through. */
export async function createThread(db: Db, thread: NewThread, most: number): Promise<"made" | "taken" | "full"> {
  const { id, user_id } = thread;
  return db.withMutex(userLockName("threads", user_id), () =>
    inTransaction(db, async (client) => {
      if ((await known.count(client, { id })) > 0) return "taken";
      if (!(await isBelowUserLimit(client, { thing: "threads", user_id, most }))) return "full";
      return (await create.count(client, { ...thread, labels: labelsOf(thread) })) === 1 ? "made" : "taken";
    }),
  );
}

const known = statement({
  name: "is-thread-id-taken",
  takes: { id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM threads WHERE id = $id`,
});

const create = statement({
  name: "create-thread",
  takes: {
    id: t.text,
    user_id: t.text,
    agent_id: orNull(t.text),
    title: orNull(t.text),
    metadata: t.json<Record<string, unknown>>(),
    tags: listOf(t.text),
    labels: listOf(t.text),
    state_snapshot: orNull(t.json<string>()),
  },
  text: sql`
    INSERT INTO threads (id, user_id, agent_id, title, metadata, tags, labels, state_snapshot)
    VALUES ($id, $user_id, $agent_id, $title, $metadata, $tags, $labels, $state_snapshot)
    ON CONFLICT (id) DO NOTHING`,
});
