import { notFound } from "../../shared/domain/errors/app-error.ts";
import { connectionOwner, connectionParams } from "../../shared/schemas/connection.ts";
import { deleteConnection as remove } from "../../shared/store/connections/change-connection.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { connectionRef } from "./connection-ref.ts";

export const deleteConnection = defineOperation({
  method: "delete",
  path: "/v1/connections/{connection_id}",
  name: "delete_connection",
  area: "Connections",
  scope: "connections:write",
  audit: "connection",
  summary: "Delete a connection",
  description:
    "Later runs of agents that name it fail with `connection_not_set`. A running run keeps it until its end.",
  request: { params: connectionParams, query: connectionOwner },
  errors: ["agent_not_found", "connection_not_found", "foreign_user_id"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, input) {
    if (!(await remove(db, await connectionRef(db, input)))) throw notFound("connection", input.params.connection_id);
    return { status: 204 };
  },
});
