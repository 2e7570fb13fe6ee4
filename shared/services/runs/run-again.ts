import { z } from "zod";
import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { idempotencyKeyReused } from "../../domain/errors/validation-fault.ts";
import { readConfig } from "../../schemas/agent-config.ts";
import { executeRequest } from "../../schemas/execute-request.ts";
import type { ReplayBody } from "../../schemas/replay.ts";
import { findRunOfKey } from "../../store/users/idempotency-keys.ts";
import { readRunToRerun } from "../../store/runs/read/read-run-to-rerun.ts";
import { journalOfRerun, fault } from "../journal/journal-of-rerun.ts";
import { type AcceptDeps, acceptRun } from "./accept-run.ts";
import type { Origin } from "./prepare-run.ts";

/**
 * Runs the request of a run again, outside the run's thread. Returns the new run's id; of a repeat, that of the first. Throws
 * what `acceptRun` throws, not_found, and conflict when `edits` lack env_vars or files that the run had.
 */
export async function runAgain(deps: AcceptDeps, runId: string, edits: ReplayBody, origin: Origin): Promise<string> {
  return (await findRepeated(deps, origin)) ?? makeAgain(deps, runId, edits, origin);
}

/** Looked for before all else: the source may have other metadata by now, or be gone. */
async function findRepeated({ db }: Pick<AcceptDeps, "db">, { key, key_hash }: Origin): Promise<string | null> {
  const made = key && (await findRunOfKey(db, key));
  if (made && key_hash && !made.request_hash.equals(key_hash)) throw idempotencyKeyReused();
  return made?.run_id ?? null;
}

async function makeAgain(deps: AcceptDeps, runId: string, edits: ReplayBody, origin: Origin): Promise<string> {
  const run = await readRunToRerun(deps.db, runId, origin.owner);
  if (!run) throw notFound("run", runId);
  const missing = [
    ...run.env_names.filter((name) => !Object.hasOwn(edits.env_vars, name)),
    ...run.file_names.filter((name) => !Object.hasOwn(edits.files, name)),
  ];
  if (missing.length > 0)
    throw conflict(
      "replay_incomplete",
      `The run's env_vars and files were deleted when it ended. Send these again: ${missing.join(", ")}.`,
    );
  const { agent_id, runtime_mode, lifecycle, history } = run;
  const { env_vars, files, state_snapshot, completion_callback_url } = edits;
  const version = edits.version ?? run.version;
  const target = await deps.versions.resolve(agent_id, version, origin.owner);
  // Another version may name another adapter than the run had.
  const isNamed = "config" in target && readConfig(target.config).adapter_type !== undefined;
  const adapter_type = isNamed ? undefined : run.adapter_type;
  const request = executeRequest.parse({
    ...run.request_options,
    agent_id,
    version,
    input_payload: edits.input_payload ?? run.input_payload,
    history,
    adapter_type,
    runtime_mode,
    lifecycle,
    env_vars,
    files,
    state_snapshot,
    completion_callback_url,
    tags: run.tags,
  });
  const { from, set } = edits;
  if (set && !from) throw fault("set", "it needs `from`");
  const annotated = { ...request, metadata: runMetadata.parse(run.metadata) };
  const accept = async (begin?: Origin["begin"]): Promise<string> =>
    (await acceptRun(deps, annotated, { ...origin, replay_of: runId, ...(begin && { begin }) })).run_id;
  if (!from) return accept();
  if (!("missing" in target)) await deps.capacity.check(target.user_id);
  const point = { source: runId, from, set: set ?? {}, has_input: edits.input_payload != null };
  // One after the other: a journal is up to 64 MiB, and several times that on its way to Postgres.
  return deps.db.withMutex("journal of a rerun", async () => accept(await journalOfRerun(deps, point)));
}

const runMetadata = z.record(z.string(), z.unknown());
