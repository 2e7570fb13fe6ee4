import { omittedOfRun } from "../../shared/schemas/webhook-message.ts";

/** A run's public record, as GET /v1/runs/{run_id} returns it. */
export type RunRecordLike = Record<string, unknown>;

const largestResultBytes = 256 * 1024;
const omittedFields = new Set([...Object.keys(omittedOfRun), "history"]);

/**
 * Returns the body of a run's callback. The fields that POST /v1/runs/{run_id}/complete takes are at the top level, so that
 * a callback's URL may be that endpoint of another instance. Each try makes it anew of the record as it is then.
 */
export function buildPayload(record: RunRecordLike): string {
  const shown = Object.fromEntries(Object.entries(record).filter(([field]) => !omittedFields.has(field)));
  const { run, extra } = isTooLarge(record.result_content)
    ? {
        run: { ...shown, result_content: null },
        extra: { result_truncated: true, result_url: `/v1/runs/${String(record.run_id)}` },
      }
    : { run: shown, extra: {} };
  const {
    run_id,
    thread_id,
    agent_id,
    version,
    status,
    result_content,
    duration_ms,
    error,
    usage,
    attempt,
  }: RunRecordLike = run;
  const complete = { status, result_content, duration_ms, error, usage, attempt };
  return JSON.stringify({
    type: `run.${String(status)}`,
    timestamp: record.completed_at,
    ...{ run_id, thread_id, agent_id, version },
    ...complete,
    ...extra,
    data: run,
  });
}

function isTooLarge(result: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(result) ?? "") > largestResultBytes;
}
