import { notFound } from "../../shared/domain/errors/app-error.ts";
import { connectionOwner, connectionParams, connectionRecord } from "../../shared/schemas/connection.ts";
import { readConnection } from "../../shared/store/connections/change-connection.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { connectionRef } from "./connection-ref.ts";

export const getConnection = defineOperation({
  method: "get",
  path: "/v1/connections/{connection_id}",
  name: "get_connection",
  area: "Connections",
  scope: "connections:read",
  summary: "A connection",
  description: "Use it to see where a connection leads. Its secret is never returned.",
  request: { params: connectionParams, query: connectionOwner },
  errors: ["agent_not_found", "connection_not_found", "foreign_user_id"],
  responses: { 200: { description: "The connection", schema: connectionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, input) {
    const body = await readConnection(db, await connectionRef(db, input));
    if (!body) throw notFound("connection", input.params.connection_id);
    return { status: 200, body };
  },
});
