import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { executeRequest } from "../../shared/schemas/execute-request.ts";
import type { ReplayBody } from "../../shared/schemas/replay.ts";
import { readReplay } from "../../shared/store/runs/read-replay.ts";
import type { ApiContext } from "../context.ts";
import { acceptUnread } from "./accept-run.ts";
import type { Origin } from "./prepare-run.ts";

/**
 * Runs a run's request again, outside its thread, and gives the new run's id. Throws what execute would, not_found, and
 * conflict where the run had env_vars or files that aren't given anew.
 */
export async function startReplay(ctx: ApiContext, runId: string, edits: ReplayBody, origin: Origin): Promise<string> {
  const run = await readReplay(ctx.db, runId, origin.owner);
  if (!run) throw notFound("run", runId);
  const missing = [
    ...run.env_names.filter((name) => !Object.hasOwn(edits.env_vars, name)),
    ...run.file_names.filter((name) => !Object.hasOwn(edits.files, name)),
  ];
  if (missing.length > 0)
    throw conflict("replay_incomplete", `The run's env_vars and files were wiped; give anew: ${missing.join(", ")}.`);
  const { agent_id, adapter_type, runtime_mode, lifecycle, history } = run;
  const { env_vars, files, state_snapshot, completion_callback_url } = edits;
  const request = executeRequest.parse({
    agent_id,
    version: edits.version ?? run.version,
    input_payload: edits.input_payload ?? run.input_payload,
    history,
    adapter_type,
    runtime_mode,
    lifecycle,
    env_vars,
    files,
    state_snapshot,
    completion_callback_url,
  });
  return acceptUnread(ctx, request, { ...origin, replay_of: runId });
}
