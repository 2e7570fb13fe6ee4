import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { UncheckedFault, ValidationFault } from "../../domain/errors/validation-fault.ts";
import type { EventId } from "../../domain/run/event-id.ts";
import { queueTtlMs } from "../../domain/run/run-limits.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { Db } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import { readRunHandle } from "../../store/runs/moves/request-cancel.ts";
import { readOpenInterrupt, resumeRun as resume } from "../../store/runs/moves/resume-run.ts";
import { nudgeRuns } from "./nudge-run.ts";

/** The codes that `resumeRun` throws. */
export const resumeErrors = ["run_not_interrupted", "interrupt_closed"] as const;

export type ResumeDeps = { db: Db; queue: Pick<RunQueue, "dispatch">; jsonSchemas: JsonSchemas };

export type Answer = {
  run_id: string;
  /** Null: the open interrupt. */
  interrupt_id: string | null;
  response: unknown;
  answered_by: string;
};

/**
 * Answers the open interrupt of a run and queues the run again. Only the first answer counts. Returns the event that asked: the
 * run's stream goes on after it. Throws not_found, conflict, and ValidationFault when the response breaks the interrupt's schema.
 */
export async function resumeRun(deps: ResumeDeps, answer: Answer, owner: Owner): Promise<EventId> {
  const { db, queue, jsonSchemas } = deps;
  const { run_id, interrupt_id: named } = answer;
  const response = answer.response ?? null;
  const handle = await readRunHandle(db, run_id, owner);
  if (!handle) throw notFound("run", run_id);
  const open = await readOpenInterrupt(db, run_id);
  if (!open) throw conflict("run_not_interrupted", "The run is not waiting for an answer.");
  const { id: interrupt_id, response_schema: schema, is_expired, asked } = open;
  if (named !== null && named !== interrupt_id)
    throw conflict(
      "interrupt_closed",
      `The run is not waiting for an answer to '${named}'. The open interrupt is '${interrupt_id}'.`,
    );
  if (is_expired) throw conflict("interrupt_closed", "The interrupt has expired. The run ends without an answer.");
  const faults = schema ? await jsonSchemas.faultsOf(handle.user_id, schema, response) : [];
  if ("unchecked" in faults) throw new UncheckedFault(["body", "response"], faults.unchecked);
  if (faults.length > 0)
    throw new ValidationFault(faults.map(({ loc, ...rest }) => ({ ...rest, loc: ["body", "response", ...loc] })));
  const { answered_by } = answer;
  if (!(await resume(db, { run_id, interrupt_id, response, answered_by, queue_ttl_ms: queueTtlMs })))
    throw conflict("run_not_interrupted", "The run was answered, cancelled or expired at the same time.");
  await nudgeRuns({ db, queue }, [run_id]);
  return asked;
}
