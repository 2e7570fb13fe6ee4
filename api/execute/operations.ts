import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { executeAgent } from "./execute-agent.ts";
import { executeBatch } from "./execute-batch.ts";
import { listAdapters } from "./list-adapters.ts";
import { validateExecuteRequest } from "./validate-execute-request.ts";

export const executeOperations: readonly Operation<ApiContext>[] = [
  executeAgent,
  executeBatch,
  validateExecuteRequest,
  listAdapters,
];
