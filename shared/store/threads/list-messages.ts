import { z } from "zod";
import { cutPage } from "../../domain/json/cut-page.ts";
import { messageText } from "../../domain/thread/message-text.ts";
import type { ThreadMessage } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Page } from "../read-page.ts";
import { raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { messageBytes } from "./message-bytes.ts";

export type MessagePage = { limit: number; after?: number | undefined; order: "asc" | "desc" };

/** A page of a thread's messages, in the order in which they were said. It ends with the message that fills a page's bytes. */
export async function listMessages(
  db: Db,
  thread_id: string,
  { limit, after, order }: MessagePage,
): Promise<Page<ThreadMessage>> {
  const found = await sizes[order].rows(db.sql, {
    thread_id,
    after: after === undefined ? null : String(after),
    limit: limit + 1,
  });
  const fitting = cutPage(found, limit, ({ bytes }) => bytes);
  const rows = await db.prisma.threadMessage.findMany({
    where: { thread_id, seq: { in: fitting.map(({ seq }) => BigInt(seq)) } },
    omit: { bytes: true },
    orderBy: { seq: order },
  });
  const data = rows.map(({ seq, run_id, role, content, said, created_at }) => ({
    id: String(seq),
    object: "thread_message" as const,
    thread_id,
    run_id,
    role,
    content,
    text: messageText({ role, content, said: z.string().nullable().parse(said) }),
    created_at: created_at.toISOString(),
  }));
  return {
    data,
    has_more: found.length > fitting.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

const sizesOf = (order: MessagePage["order"]) =>
  statement({
    name: `size-messages-${order}`,
    takes: { thread_id: t.text, after: orNull(t.bigint), limit: t.integer },
    gives: { seq: t.bigint, bytes: t.integer },
    text: sql`
      SELECT m.seq, ${messageBytes("m")} AS bytes FROM thread_messages m
      WHERE m.thread_id = $thread_id AND ($after IS NULL OR m.seq ${raw(order === "asc" ? ">" : "<")} $after)
      ORDER BY m.seq ${raw(order)} LIMIT $limit`,
  });

const sizes = { asc: sizesOf("asc"), desc: sizesOf("desc") };
