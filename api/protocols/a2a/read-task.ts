import { beforeFirst, compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminal, isTerminalEvent } from "../../../shared/domain/run/run-status.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { readAnswers } from "../../../shared/store/runs/questions/read-answers.ts";
import { readRun } from "../../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../../context.ts";
import { taskNotFound } from "./errors.ts";
import { saidOf } from "./run-input.ts";
import { type Message, partOf } from "./message.ts";
import { type TaskTranslation, translateRun } from "./translate-run.ts";

export type ReadDeps = Pick<ApiContext, "db" | "hub">;

/** Where a task is asked for. */
export type Place = { agent_id: string; owner: Owner; base: string };

/** Returns the run of a task. Throws RpcError when the caller has no such task of this agent. */
export async function readTaskRun(deps: Pick<ReadDeps, "db">, taskId: string, place: Place): Promise<RunRecord> {
  const run = await readRun(deps.db, taskId, place.owner);
  if (run?.agent_id !== place.agent_id) throw taskNotFound(taskId);
  return run;
}

/** A run without a thread is its own context. */
export const contextOf = ({ id, thread_id }: Pick<RunRecord, "id" | "thread_id">): string => thread_id ?? id;

/** A task as it stands, and the last event that made it so. */
type ReadTask = { translation: TaskTranslation; last: EventId };

/** Replays a run's stored events up to `until`. */
export async function readTask(
  deps: ReadDeps,
  run: RunRecord,
  base: string,
  until: EventId | null = null,
): Promise<ReadTask> {
  const translation = translateRun({
    taskId: run.id,
    contextId: contextOf(run),
    said: await readSaid(deps, run),
    base,
  });
  let last: EventId = beforeFirst;
  let ended = false;
  for (;;) {
    const { events } = await deps.hub.backfill(run.id, last);
    const wanted = events.filter((event) => until === null || compareEventIds(event, until) <= 0);
    for (const event of wanted) translation.push(parseEvent(event));
    const newest = wanted.at(-1);
    if (newest) last = newest;
    ended = ended || wanted.some(({ type }) => isTerminalEvent(type));
    if (wanted.length === 0 || wanted.length < events.length) break;
  }
  const end = until === null && !ended ? endOf(run) : null;
  if (end) translation.push(end);
  return { translation, last };
}

/** Our own event, which was checked when it was written. */
export const parseEvent = ({ data }: StreamEvent): RunEvent => JSON.parse(data) as RunEvent;

async function readSaid(deps: Pick<ReadDeps, "db">, run: RunRecord) {
  const of = { contextId: contextOf(run), taskId: run.id, role: "ROLE_USER" } as const;
  const given = await readAnswers(deps.db, run.id);
  const answers = [...given].map(([interrupt_id, response]): [string, Message] => [
    interrupt_id,
    { messageId: `${interrupt_id}-answer`, ...of, parts: [partOf(response)] },
  ]);
  return { input: { ...of, ...saidOf(run) }, answers: new Map(answers) };
}

/** Returns the terminal event that an ended run's record stands for, for a run whose events are no longer stored. */
function endOf(run: RunRecord): RunEvent | null {
  const { id: run_id, attempt, status, result_content, error, state_snapshot, usage, completed_at } = run;
  if (!isTerminal(status) || completed_at === null) return null;
  return {
    type: `run.${status}`,
    run_id,
    attempt,
    seq: 0,
    ts: completed_at,
    status,
    result_content,
    error,
    partial: null,
    state_snapshot,
    usage,
    duration_ms: run.duration_ms ?? 0,
  };
}
