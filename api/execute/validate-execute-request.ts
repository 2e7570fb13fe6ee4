import { z } from "zod";
import { chooseAdapter } from "../../shared/domain/run/choose-adapter.ts";
import { quotaErrors } from "../../shared/domain/errors/error-codes.ts";
import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { configWarnings } from "../../shared/domain/agent/config-warnings.ts";
import { configKeys, configObject, readConfig } from "../../shared/schemas/agent-config.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { checkConfig } from "../../shared/services/versions/check-config.ts";
import { type ExecuteRequest, executeRequest } from "../../shared/schemas/execute-request.ts";
import { listSecrets } from "../../shared/store/agents/secrets.ts";
import { listOwnerSecrets } from "../../shared/store/secrets/list-secrets.ts";
import type { ApiContext } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { acceptableErrors, checkAcceptable } from "../../shared/services/runs/check-acceptable.ts";

const verdict = z
  .object({
    valid: z.literal(true),
    agent_id: z.string().nullable(),
    version: z
      .string()
      .nullable()
      .meta({ description: "The exact version that the run would have. Null: a `config` was checked." }),
    entrypoint: z.string().nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({
    id: "Validation",
    example: {
      valid: true,
      agent_id: "hello-agent",
      version: "1.1.0",
      entrypoint: "main.py:main",
      warnings: [{ code: "version_deprecated", message: "Version '1.1.0' is deprecated." }],
    },
  });

/** The body of POST /v1/validate: a request, or a config that isn't published yet. */
const validateBody = executeRequest
  .extend({
    agent_id: executeRequest.shape.agent_id.optional(),
    version: executeRequest.shape.version.optional(),
    config: configObject().nullish().meta({
      description: "A config to check as publishing would. The other fields are ignored then.",
    }),
  })
  .meta({ id: "ValidateRequest", example: { config: { source: "def main(input):\n    return {}\n" } } });

export const validateExecuteRequest = defineOperation({
  method: "post",
  path: "/v1/validate",
  name: "validate",
  area: "Execute",
  scope: "runs:write",
  audit: { none: "It changes nothing." },
  ignores: "unknown_fields",
  summary: "Check whether a request would be accepted (dry run)",
  description:
    "Checks a request as `POST /v1/execute` does, and answers with the same errors, but starts no run. What holds only for the moment isn't checked: full queues, a busy thread, a taken `run_id`, the state of a daemon. With a `config` it performs the checks of publishing instead, before an agent exists: keys, syntax and the entrypoint. The body may also be a folder, packed by tar and gzip, as for `POST /v1/versions/{agent_id}`.",
  request: { body: validateBody },
  takesFolder: true,
  errors: [...acceptableErrors, ...quotaErrors],
  responses: { 200: { description: "The request would be accepted", schema: verdict } },
  async handle(ctx: Ctx, { body: { config, agent_id, version, ...rest }, caller }) {
    if (config) return { status: 200, body: await checkDraft(ctx, caller, config) };
    if (agent_id === undefined || version === undefined) throw missing({ agent_id, version });
    return { status: 200, body: await checkRun(ctx, caller, { ...rest, agent_id, version }) };
  },
});

type Ctx = Pick<ApiContext, "config" | "db" | "fleet" | "capacity" | "versions" | "jsonSchemas" | "sources">;
type Verdict = z.infer<typeof verdict>;

/** Checks a config as publishing does. */
async function checkDraft(ctx: Ctx, caller: Caller, config: Record<string, unknown>): Promise<Verdict> {
  await checkConfig(ctx, caller.user_id, config);
  const { entrypoint = null } = readConfig(config);
  return { valid: true, agent_id: null, version: null, entrypoint, warnings: configWarnings(config, configKeys) };
}

async function checkRun(ctx: Ctx, caller: Caller, body: ExecuteRequest): Promise<Verdict> {
  const resolve = ctx.versions.resolveUncached;
  const { user_id, version, version_status, config } = await checkAcceptable(ctx, resolve, body, caller.owner);
  await ctx.capacity.check(user_id);
  const { agent_id } = body;
  const { entrypoint, source, files, secrets = [] } = readConfig(config);
  const ofAgent = (await listSecrets(ctx.db, agent_id, caller.owner)) ?? [];
  const ofOwner = secrets.length > 0 ? await listOwnerSecrets(ctx.db, user_id) : [];
  const set = new Set([...ofAgent, ...ofOwner].map(({ name }) => name));
  const has = (name: string) => [files, body.files].some((some) => some !== undefined && Object.hasOwn(some, name));
  const usual: string[] = defaultFiles(chooseAdapter(body, { config }));
  const start = entrypoint ?? (source === undefined ? undefined : usual[0]) ?? usual.find(has) ?? null;
  const warnings = [
    ...configWarnings(config, configKeys),
    ...(version_status === "deprecated"
      ? [{ code: "version_deprecated", message: `Version '${version}' is deprecated.` }]
      : []),
    ...(start === null && usual.length > 0
      ? [{ code: "no_entrypoint", message: "Neither the agent's config nor the files contain code to run." }]
      : []),
    ...secrets
      .filter((name) => !set.has(name) && !Object.hasOwn(body.env_vars, name))
      .map((name) => ({
        code: "secret_not_set",
        message: `The secret '${name}' is not set. Set it with PUT /v1/agents/${agent_id}/secrets/${name}.`,
      })),
  ];
  return { valid: true, agent_id, version, entrypoint: start, warnings };
}

/** Both fields are required where there is no config. */
const missing = (fields: Record<string, unknown>): ValidationFault =>
  new ValidationFault(
    Object.entries(fields)
      .filter(([, value]) => value === undefined)
      .map(([name]) => ({ type: "missing", loc: ["body", name], msg: "Field required" })),
  );
