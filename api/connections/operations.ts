import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { deleteConnection } from "./delete-connection.ts";
import { getConnection } from "./get-connection.ts";
import { listConnections } from "./list-connections.ts";
import { putConnection } from "./put-connection.ts";

export const connectionsOperations: readonly Operation<ApiContext>[] = [
  listConnections,
  getConnection,
  putConnection,
  deleteConnection,
];
