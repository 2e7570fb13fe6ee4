import { completeConnection } from "../../shared/domain/connection/complete-connection.ts";
import { conflict } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import {
  connectionBody,
  connectionOwner,
  connectionRecord,
  newConnectionParams,
} from "../../shared/schemas/connection.ts";
import { putConnection as put } from "../../shared/store/connections/change-connection.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { connectionRef } from "./connection-ref.ts";

export const putConnection = defineOperation({
  method: "put",
  path: "/v1/connections/{connection_id}",
  name: "put_connection",
  area: "Connections",
  scope: "connections:write",
  audit: { target: "connection", detail: (_input, { agent_id, base_url }) => ({ agent_id, base_url }) },
  summary: "Set a connection",
  description:
    "A service that agents may call whose config names it in `connections`. Runs find its address and a placeholder key in the variables that the service's libraries read; the gateway, outside of the sandbox, sends the real key. The whole connection is replaced, so its secret is always sent along.",
  request: { params: newConnectionParams, query: connectionOwner, body: connectionBody },
  errors: ["agent_not_found", "foreign_user_id", "too_many_connections"],
  responses: {
    200: { description: "The connection was replaced", schema: connectionRecord },
    201: { description: "The connection was made", schema: connectionRecord },
  },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, input) {
    const { secret, requests_per_minute = null, tokens_per_minute = null, ...given } = input.body;
    const completed = completeConnection(given);
    if ("field" in completed)
      throw new ValidationFault([
        { type: "value_error", loc: ["body", completed.field], msg: `Value error, ${completed.message}` },
      ]);
    const ref = await connectionRef(db, input);
    const settings = { ...completed.target, ref, secret, requests_per_minute, tokens_per_minute };
    const done = await put(db, config.encryptionKeys, { ...settings, most: config.perUser.connections });
    if (!done) throw conflict("too_many_connections", userHasMost("connections", config.perUser, ref.user_id));
    return done.isNew ? { status: 201, body: done.connection } : { status: 200, body: done.connection };
  },
});
