import { z } from "zod";
import { AppError, conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { narrower } from "../../shared/domain/run/narrow-config.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { covers, type Scope } from "../../shared/schemas/scope.ts";
import { apiKeyBody, apiKeyRecord } from "../../shared/schemas/user.ts";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import { insertApiKey } from "../../shared/store/users/api-keys.ts";
import { ensureUser } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { type Caller, ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { chooseExpiry } from "./choose-expiry.ts";

export const createApiKey = defineOperation({
  method: "post",
  path: "/v1/users/me/api-keys",
  name: "create_api_key",
  area: "Users",
  scope: "users:write",
  idempotent: true,
  audit: "key",
  summary: "Create an API key",
  description:
    "The key is only shown in this answer. It can't have scopes that the key of the request lacks, nor outlive that key. With `run_id` it reads that run and nothing else: for a link that you share, or a browser's EventSource.",
  request: { body: apiKeyBody },
  errors: ["foreign_user_id", "run_not_found", "too_many_keys", "user_not_found"],
  responses: {
    201: {
      description: "The key",
      schema: apiKeyRecord
        .extend({
          key: z
            .string()
            .meta({ description: "The key. Send it as `Authorization: Bearer <key>`, or as `X-Api-Key: <key>`." }),
        })
        .meta({
          id: "NewApiKey",
          example: { ...exampleOf(apiKeyRecord), key: "rf_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b_…" },
        }),
    },
  },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    const run_id = body.run_id ?? null;
    const scopes: Scope[] = run_id === null ? (body.scopes ?? ["*"]) : ["runs:read"];
    const beyond = scopes.find((scope) => !covers(caller.scopes, scope));
    if (beyond)
      throw new AppError(
        "forbidden",
        "missing_scope",
        `Your key lacks the scope '${beyond}', so it can't give it to a new key.`,
      );
    const user_id =
      run_id === null ? ownerOf(caller, body.user_id) : await userOfRun(db, { run_id, caller, named: body.user_id });
    const latest = caller.key_expires_at;
    const expires_at = await chooseExpiry(db, { expires_at: body.expires_at ?? null, run_id, latest });
    await ensureUser(db, user_id);
    const { id, text: key, secret_hash } = newCredential("key");
    const requests_per_minute = limitOf(caller, body.requests_per_minute);
    const made = { id, user_id, name: body.name ?? null, secret_hash, scopes, run_id, requests_per_minute, expires_at };
    const record = await insertApiKey(db, made, config.perUser.keys);
    if (!record) throw conflict("too_many_keys", userHasMost("keys", config.perUser, user_id));
    return { status: 201, body: { ...record, key } };
  },
});

type OfRun = { run_id: string; caller: Caller; named: string | null | undefined };

/** Returns the run's user. A read token sees what its user sees, so it reads the run for nobody else. */
async function userOfRun(db: ApiContext["db"], { run_id, caller, named }: OfRun): Promise<string> {
  const run = await readRun(db, run_id, caller.owner);
  if (!run || ownerOf(caller, named ?? run.user_id) !== run.user_id) throw notFound("run", run_id);
  return run.user_id;
}

/** Returns the new key's own limit: none wider than that of the key of the request. */
const limitOf = ({ per_minute }: Caller, asked: number | null | undefined): number | null =>
  narrower(per_minute.key ?? undefined, asked ?? undefined) ?? null;
