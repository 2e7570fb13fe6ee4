import type { ThreadMessage } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import type { Page } from "../read-page.ts";

export type MessagePage = { limit: number; after?: number | undefined; order: "asc" | "desc" };

/** A page of a thread's messages, in the order in which they were said. */
export async function listMessages(
  db: Db,
  thread_id: string,
  { limit, after, order }: MessagePage,
): Promise<Page<ThreadMessage>> {
  const found = await db.prisma.threadMessage.findMany({
    where: { thread_id, ...(after === undefined ? {} : { seq: order === "asc" ? { gt: after } : { lt: after } }) },
    orderBy: { seq: order },
    take: limit + 1,
  });
  const data = found.slice(0, limit).map(({ seq, run_id, role, content, created_at }) => ({
    id: String(seq),
    object: "thread_message" as const,
    thread_id,
    run_id,
    role,
    content,
    created_at: created_at.toISOString(),
  }));
  return {
    data,
    has_more: found.length > limit,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
