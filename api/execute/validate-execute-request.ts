import { z } from "zod";
import { chooseAdapter } from "../../shared/domain/run/choose-adapter.ts";
import { quotaErrors } from "../../shared/domain/errors/error-codes.ts";
import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { configWarnings } from "../../shared/domain/agent/config-warnings.ts";
import { configKeys, readConfig } from "../../shared/schemas/agent-config.ts";
import { executeRequest } from "../../shared/schemas/execute-request.ts";
import { listSecrets } from "../../shared/store/agents/secrets.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { acceptableErrors, checkAcceptable } from "../../shared/services/runs/check-acceptable.ts";

const verdict = z
  .object({
    valid: z.literal(true),
    agent_id: z.string(),
    version: z.string().meta({ description: "The exact version that the run would have." }),
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

export const validateExecuteRequest = defineOperation({
  method: "post",
  path: "/v1/validate",
  name: "validate",
  area: "Execute",
  scope: "runs:write",
  audit: { none: "It changes nothing." },
  ignores: "unknown_fields",
  summary: "Check whether a request would be accepted (dry run)",
  description: "Performs all checks of `POST /v1/execute` and answers with the same errors, but starts no run.",
  request: { body: executeRequest },
  errors: [...acceptableErrors, ...quotaErrors],
  responses: { 200: { description: "The request would be accepted", schema: verdict } },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "fleet" | "capacity" | "versions" | "jsonSchemas">,
    { body, caller },
  ) {
    const resolve = ctx.versions.resolveUncached;
    const { user_id, version, version_status, config } = await checkAcceptable(ctx, resolve, body, caller.owner);
    await ctx.capacity.check(user_id);
    const { entrypoint, source, files, secrets = [] } = readConfig(config);
    const set = new Set((await listSecrets(ctx.db, body.agent_id, caller.owner))?.map(({ name }) => name));
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
          message: `The secret '${name}' is not set. Set it with PUT /v1/agents/${body.agent_id}/secrets/${name}.`,
        })),
    ];
    const { agent_id } = body;
    return { status: 200, body: { valid: true as const, agent_id, version, entrypoint: start, warnings } };
  },
});
