import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import { type ResolvedVersion, resolveVersion } from "../../store/agents/resolve-version.ts";
import type { Queryable } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import { checkVersion } from "../runs/check-version.ts";

type Deps = { db: { sql: Queryable }; jsonSchemas: JsonSchemas };

/** Returns the version that a tick of a job runs. Throws as `checkVersion` does. */
export async function chooseVersion(
  { db, jsonSchemas }: Deps,
  request: ExecuteRequest,
  owner: Owner,
): Promise<ResolvedVersion> {
  return checkVersion(jsonSchemas, request, await resolveVersion(db, request.agent_id, request.version, owner));
}
