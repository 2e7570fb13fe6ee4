import { type RunListItem, type RunPayload, type RunRecord, runRecord } from "../../../schemas/run.ts";
import type { OutboxMessage, Run } from "../../generated/client.ts";

/** Columns that no record shows. A history may be as large as a request. */
export const unread = {
  history: true,
  request_hash: true,
  labels: true,
  plan_id: true,
  parent_key: true,
  depth: true,
  tells_parent: true,
  has_children: true,
} as const;

type Callback = Omit<OutboxMessage, "payload">;
type RunRow = Omit<Run, keyof typeof unread> & { outbox: Callback[] };

/** Without the payloads that were not asked for. */
type ListedRow = Omit<RunRow, RunPayload> & Partial<Pick<RunRow, RunPayload>>;

/** The callback of a run is the outbox message that its end wrote. */
export const withCallback = { outbox: { where: { webhook_id: null }, take: 1, omit: { payload: true } } } as const;

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

/** The public record of a run's row. */
export function toRunRecord(row: RunRow): RunRecord {
  const { input_payload, result_content } = row;
  return { ...toRunListItem(row), input_payload, result_content, state_snapshot: stateOf(row.state_snapshot) };
}

const stateOf = (stored: unknown): RunRecord["state_snapshot"] => runRecord.shape.state_snapshot.parse(stored);

/** The same with the payloads that were read, and without previews. */
export function toRunListItem(row: ListedRow): Omit<RunListItem, "input_preview" | "result_preview"> {
  const { id, agent_id, version, thread_id, user_id, status, max_attempts, started_at } = row;
  return {
    id,
    run_id: id,
    object: "run",
    agent_id,
    version,
    thread_id,
    user_id,
    status,
    attempt: row.taken_over ? row.attempt - 1 : row.attempt,
    max_attempts,
    adapter_type: row.adapter_type,
    runtime_mode: row.runtime_mode,
    lifecycle: row.lifecycle,
    ...("input_payload" in row ? { input_payload: row.input_payload } : {}),
    env_names: row.env_names,
    // Json columns hold what our own code wrote; these parses only give them their types.
    files: runRecord.shape.files.parse(row.files),
    ...("result_content" in row ? { result_content: row.result_content } : {}),
    error: runRecord.shape.error.parse(row.error),
    current_status: row.current_status,
    ...("state_snapshot" in row ? { state_snapshot: stateOf(row.state_snapshot) } : {}),
    usage: runRecord.shape.usage.parse(row.usage),
    sandbox: runRecord.shape.sandbox.parse(row.sandbox),
    worker_id: row.worker_id,
    origin: row.origin,
    replay_of: row.replay_of,
    job_id: row.job_id,
    parent_run_id: row.parent_run_id,
    root_run_id: row.root_run_id,
    detached: row.detached,
    tags: row.tags,
    metadata: runRecord.shape.metadata.parse(row.metadata),
    timeout_ms: row.timeout_ms,
    request_options: runRecord.shape.request_options.parse(row.request_options),
    wait_reason: waitReasonOf(row),
    created_at: row.created_at.toISOString(),
    scheduled_at: status === "scheduled" ? iso(row.scheduled_at) : null,
    started_at: iso(started_at),
    completed_at: iso(row.completed_at),
    queue_ms: started_at ? Math.max(0, started_at.getTime() - (row.due_at ?? row.created_at).getTime()) : null,
    duration_ms: row.duration_ms,
    // See withInterrupts.
    interrupts: [],
    callback: callbackOf(row),
  };
}

function waitReasonOf({
  status,
  attempt,
  wait_reason,
}: Pick<RunRow, "status" | "attempt" | "wait_reason">): RunRecord["wait_reason"] {
  if (status === "scheduled") return attempt === 0 ? "delay" : "retry";
  const noted = runRecord.shape.wait_reason.parse(wait_reason);
  return status === "queued" && noted !== "delay" ? noted : null;
}

function callbackOf({
  completion_callback_url,
  outbox: [message],
}: Pick<RunRow, "completion_callback_url" | "outbox">): RunRecord["callback"] {
  if (completion_callback_url === null) return null;
  return {
    url_host: new URL(completion_callback_url).host,
    status: message?.status ?? "waiting",
    attempts: message?.tries ?? 0,
    last_error: message?.last_error ?? null,
    next_attempt_at: message?.status === "pending" ? message.next_attempt_at.toISOString() : null,
  };
}
