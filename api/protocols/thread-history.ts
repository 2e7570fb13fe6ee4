import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { listMessages } from "../../shared/store/threads/list-messages.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import { spokenResult } from "../stream/projections/speech.ts";

type Message = { role: string; content: unknown };

/** Returns what was said on a thread, as a conversation: of a run's input the prompt, of its result the text. */
export async function threadHistory({ db }: { db: Db }, threadId: string, owner: Owner): Promise<Message[]> {
  if (!(await readThread(db, threadId, owner))) return [];
  const { data } = await listMessages(db, threadId, { limit: requestLimits.history_items, order: "desc" });
  return data.toReversed().map(({ role, content, text }) => ({ role, content: text ?? said(role, content) }));
}

function said(role: string, content: unknown): unknown {
  if (role !== "user") return spokenResult(content) ?? content;
  const prompt = typeof content === "object" && content !== null && "prompt" in content ? content.prompt : undefined;
  return typeof prompt === "string" ? prompt : content;
}
