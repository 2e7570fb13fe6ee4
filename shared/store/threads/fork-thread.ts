import { labelsOf } from "../../domain/run/labels.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { inTransaction } from "../in-transaction.ts";
import type { Owner } from "../owned-by.ts";
import { messageBytes } from "./message-bytes.ts";

export type Fork = {
  from: string;
  id: string;
  /** The last run that is taken along; null: all. */
  run_id: string | null;
  title: string | null;
  metadata: Record<string, unknown> | null;
};

export type Forked = "forked" | "taken" | "thread_missing" | "run_missing" | "run_not_ended" | "full";

type Limits = {
  /** How many threads a user may have. */
  most: number;
  /** Hears how many bytes are to be copied, and may refuse them by throwing. */
  count: (bytes: number) => Promise<void>;
};

/**
 * Copies a thread's messages and state, in one statement and so of one moment. Up to a run: what was said when that run had
 * ended, and the state that stood then, which is the thread's own unless a later run left another one. `full`: its user has `most`
 * threads already.
 */
export async function forkThread(db: Db, owner: Owner, fork: Fork, { most, count }: Limits): Promise<Forked> {
  const { from, run_id } = fork;
  const source = await look.first(db.sql, { from, owner, run_id });
  if (!source) return "thread_missing";
  if (run_id !== null && !source.has_run) return "run_missing";
  if (run_id !== null && source.completed_at === null) return "run_not_ended";
  await count(source.bytes);
  return db.withMutex(userLockName("threads", source.user_id), () =>
    inTransaction(db, async (client) => {
      if (!(await isBelowUserLimit(client, { thing: "threads", user_id: source.user_id, most }))) return "full";
      const labels = fork.metadata && labelsOf({ tags: source.tags, metadata: fork.metadata });
      return (await copy.first(client, { ...fork, labels })) ? "forked" : "taken";
    }),
  );
}

/** What the row of a message takes besides its content, at least. */
const rowBytes = 200;

const look = statement({
  name: "look-at-thread-to-fork",
  takes: { from: t.text, owner: orNull(t.text), run_id: orNull(t.text) },
  gives: {
    user_id: t.text,
    tags: listOf(t.text),
    has_run: t.boolean,
    completed_at: orNull(t.timestamptz),
    bytes: t.double,
  },
  text: sql`
    SELECT t.user_id, t.tags, r.id IS NOT NULL AS has_run, r.completed_at,
      (SELECT coalesce(sum(${messageBytes("m")} + ${literal(rowBytes)}), 0) FROM thread_messages m
        WHERE m.thread_id = t.id AND m.created_at <= coalesce(r.completed_at, 'infinity'))::double precision AS bytes
    FROM threads t
    LEFT JOIN runs r ON r.id = $run_id AND r.thread_id = t.id AND r.created_at >= t.created_at
    WHERE t.id = $from AND ($owner IS NULL OR t.user_id = $owner)`,
});

/** A run's messages and its end have one time: that of the transaction which ended it. */
const copy = statement({
  name: "fork-thread",
  takes: {
    from: t.text,
    id: t.text,
    run_id: orNull(t.text),
    title: orNull(t.text),
    metadata: orNull(t.json<Record<string, unknown>>()),
    labels: orNull(listOf(t.text)),
  },
  gives: { id: t.text },
  text: sql`
    WITH source AS (
      SELECT t.*, coalesce((SELECT completed_at FROM runs WHERE id = $run_id), 'infinity') AS until
      FROM threads t WHERE t.id = $from
    ), states AS (
      SELECT r.state_snapshot, r.completed_at FROM runs r, source s
      WHERE r.thread_id = s.id AND r.created_at >= s.created_at AND r.completed_at IS NOT NULL
        AND r.state_snapshot IS NOT NULL
    ), fork AS (
      INSERT INTO threads (id, user_id, agent_id, title, metadata, tags, labels, forked_from, state_snapshot)
      SELECT $id, user_id, agent_id, coalesce($title, title), coalesce($metadata, metadata), tags,
        coalesce($labels, labels), id,
        CASE WHEN EXISTS (SELECT 1 FROM states WHERE completed_at > until)
          THEN (SELECT s.state_snapshot FROM states s WHERE s.completed_at <= until ORDER BY s.completed_at DESC LIMIT 1)
          ELSE state_snapshot END
      FROM source ON CONFLICT (id) DO NOTHING RETURNING id
    ), said AS (
      INSERT INTO thread_messages (thread_id, run_id, role, content, said, bytes, created_at)
      SELECT fork.id, m.run_id, m.role, m.content, m.said, m.bytes, m.created_at FROM fork, source, thread_messages m
      WHERE m.thread_id = source.id AND m.created_at <= source.until ORDER BY m.seq
    )
    SELECT id FROM fork`,
});
