import { checkRequest } from "../runs/check-request.ts";
import { chooseVersion } from "./choose-version.ts";
import { notFound } from "../../domain/errors/app-error.ts";
import { executeRequest } from "../../schemas/execute-request.ts";
import type { JobBody } from "../../schemas/job.ts";
import type { ResolvedVersion } from "../../store/agents/resolve-version.ts";
import type { Owner } from "../../store/owned-by.ts";
import { mayUseThread } from "../../store/threads/may-use-thread.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { Db } from "../../store/client.ts";

export type CheckJobDeps = { config: Pick<Config, "callbacks">; db: Db; jsonSchemas: JsonSchemas };

/** Returns the version that a tick of the job would run now. Throws the errors of an execute request, except those about live workers. */
export async function checkJob(ctx: CheckJobDeps, body: JobBody, owner: Owner): Promise<ResolvedVersion> {
  const request = executeRequest.parse({ ...body, metadata: body.metadata ?? {} });
  checkRequest(request, ctx.config.callbacks.allowCidrs);
  const version = await chooseVersion(ctx, request, owner);
  const { thread_id } = request;
  if (thread_id != null && !(await mayUseThread(ctx.db, thread_id, owner))) throw notFound("thread", thread_id);
  return version;
}
