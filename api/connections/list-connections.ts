import { connectionListQuery, connectionRecord } from "../../shared/schemas/connection.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listConnections as readPage } from "../../shared/store/connections/list-connections.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listConnections = defineOperation({
  method: "get",
  path: "/v1/connections",
  name: "list_connections",
  area: "Connections",
  scope: "connections:read",
  summary: "Connections, newest first",
  description: "Secrets are not shown.",
  request: { query: connectionListQuery },
  responses: { 200: { description: "A page of connections", schema: pageOf(connectionRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
