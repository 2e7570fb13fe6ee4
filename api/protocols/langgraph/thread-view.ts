import { notFound } from "../../../shared/domain/errors/app-error.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { ThreadRecord } from "../../../shared/schemas/thread.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { readHeads, type ThreadHead } from "../../../shared/store/threads/read-heads.ts";
import { readThreadTranscripts } from "../../../shared/store/threads/read-transcripts.ts";
import { readNewestMessages, type ThreadMessageRow } from "../../../shared/store/threads/read-newest-messages.ts";
import { readThread } from "../../../shared/store/threads/thread-record.ts";
import type { Message } from "./messages.ts";
import { projectRun } from "./run-stream.ts";

/** What is read of a thread's messages at most, in bytes: of one thread, and of all threads or states of one list. */
const mostBytes = { one: 1024 * 1024, list: 8 * 1024 * 1024 };

export const bytesEach = (count: number): number => Math.min(mostBytes.one, mostBytes.list / Math.max(1, count));

/** What runs of a thread said and gave, by run. */
type Outputs = ReadonlyMap<string, { said: readonly Message[]; result: unknown }>;

/** A thread with what its values are made of. */
export type ThreadView = { thread: ThreadRecord; head: ThreadHead; turns: ThreadMessageRow[]; outputs: Outputs };

/** Reads what LangGraph shows of threads, in any order. */
export async function viewThreads(db: Db, threads: readonly ThreadRecord[]): Promise<ThreadView[]> {
  const ids = threads.map(({ id }) => id);
  const bytes = bytesEach(ids.length);
  const [heads, turns] = await Promise.all([readHeads(db, ids, bytes), readNewestMessages(db, ids, bytes)]);
  return threads.flatMap((thread) => {
    const head = heads.find(({ thread_id }) => thread_id === thread.id);
    return head
      ? [{ thread, head, turns: turns.filter(({ thread_id }) => thread_id === thread.id), outputs: new Map() }]
      : [];
  });
}

/** Throws not_found when the owner has no such thread. */
export async function viewThread(db: Db, id: string, owner: Owner): Promise<ThreadView> {
  const thread = await readThread(db, id, owner);
  const [view] = thread ? await viewThreads(db, [thread]) : [];
  if (!view) throw notFound("thread", id);
  return { ...view, outputs: await readOutputs(db, id) };
}

/** Reads what the newest runs of a thread said, with their tools. Of the others only the stored messages are known. */
async function readOutputs(db: Db, threadId: string): Promise<Outputs> {
  const transcripts = await readThreadTranscripts(db, threadId, mostBytes.one);
  return new Map([...transcripts].map(([runId, events]) => [runId, readOutput(events)]));
}

function readOutput(events: readonly StreamEvent[]) {
  const machine = projectRun({ modes: new Set(), agent_id: "", base: {}, input: {} });
  const last = events.at(-1);
  // Our own events, which were checked when they were written. Only these types make messages.
  for (const { type, data } of events) if (spoken.has(type)) machine.push(JSON.parse(data) as RunEvent);
  const end = last?.type === "run.success" ? (JSON.parse(last.data) as { result_content: unknown }) : null;
  return { said: machine.said(), result: end?.result_content ?? null };
}

const spoken: ReadonlySet<string> = new Set([
  "run.started",
  "step.retrying",
  "output.delta",
  "tool.start",
  "tool.end",
  "run.success",
]);
