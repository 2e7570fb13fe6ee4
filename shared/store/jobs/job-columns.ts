import { z } from "zod";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { type ExecuteRequest, executeRequest } from "../../schemas/execute-request.ts";
import type { JobBody } from "../../schemas/job.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Job } from "../generated/client.ts";

/** Bytes as the driver gives them, whichever door a row was read through. */
export type JobRow = Omit<Job, "sealed_env"> & { sealed_env: Uint8Array | null };

/** The column `run_context`: what of an execute request may be large and is shown nowhere. */
const runContext = executeRequest.pick({ history: true, state_snapshot: true });

/** The column `run_options`: an execute request without what has columns of its own, and without what is sealed. */
export const runOptions = executeRequest
  .omit({
    agent_id: true,
    version: true,
    input_payload: true,
    env_vars: true,
    files: true,
    run_id: true,
    history: true,
    state_snapshot: true,
    metadata: true,
    delay_ms: true,
    run_at: true,
    debounce: true,
  })
  .extend({ env_names: z.array(z.string()), file_names: z.array(z.string()) });

const secrets = z.object({ env_vars: z.record(z.string(), z.string()), files: z.record(z.string(), z.string()) });

/** The columns that a job's body fills. */
export function jobColumns(keys: KeyRing, id: string, body: JobBody) {
  const { env_vars, files } = body;
  const [env_names, file_names] = [Object.keys(env_vars), Object.keys(files)];
  const hasSecrets = env_names.length + file_names.length > 0;
  return {
    version: body.version,
    name: body.name ?? null,
    input_payload: body.input_payload,
    run_options: runOptions.parse({ ...body, env_names, file_names }),
    run_context: runContext.parse(body),
    sealed_env: hasSecrets ? seal(keys, JSON.stringify({ env_vars, files }), sealedFields.jobSecrets(id)) : null,
    schedule: body.schedule ?? null,
    timezone: body.timezone,
    jitter_ms: body.jitter_ms ?? null,
    overlap: body.overlap,
    catch_up: body.catch_up,
    ends_at: body.ends_at ?? null,
    metadata: body.metadata ?? {},
  };
}

/** The body that would make a job as it stands, its secrets in clear. */
export function jobToBody(keys: KeyRing, job: JobRow): Record<string, unknown> {
  const { env_names: _, file_names: __, ...options } = runOptions.parse(job.run_options);
  const opened = job.sealed_env
    ? secrets.parse(JSON.parse(open(keys, job.sealed_env, sealedFields.jobSecrets(job.id)).toString("utf8")))
    : { env_vars: {}, files: {} };
  const {
    agent_id,
    version,
    name,
    input_payload,
    schedule,
    timezone,
    jitter_ms,
    overlap,
    catch_up,
    ends_at,
    metadata,
  } = job;
  return {
    ...options,
    // A job of an earlier release has both in its options.
    ...runContext.parse(job.run_context ?? job.run_options),
    ...opened,
    agent_id,
    version,
    name,
    input_payload,
    schedule,
    timezone,
    jitter_ms,
    overlap,
    catch_up,
    ends_at: ends_at?.toISOString() ?? null,
    metadata,
  };
}

/** The request that each tick of a job makes. */
export function jobToRequest(keys: KeyRing, job: JobRow): ExecuteRequest {
  const { metadata, ...body } = jobToBody(keys, job);
  // The metadata of an earlier release's job may have more keys than a request may.
  return { ...executeRequest.parse(body), metadata: jobMetadata.parse(metadata) };
}

const jobMetadata = z.record(z.string(), z.unknown());
