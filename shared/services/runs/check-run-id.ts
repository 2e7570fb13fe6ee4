import { conflict } from "../../domain/errors/app-error.ts";
import type { Insertion, NewRun } from "../../store/runs/queue/insert-run.ts";

/** Throws conflict when the run's id is that of another request, or was a deleted run's. */
export function checkRunId(insertion: Insertion, { id, request_hash }: Pick<NewRun, "id" | "request_hash">): void {
  if (insertion.kind === "used")
    throw conflict("run_id_taken", `The run id '${id}' was that of a run that is deleted. Send a new run_id.`);
  if (insertion.kind === "taken" && !insertion.request_hash.equals(request_hash))
    throw conflict("run_id_taken", `The run id '${id}' belongs to another request. Send a new run_id.`);
}
