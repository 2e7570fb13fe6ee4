import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { executeAgent } from "./execute-agent.ts";
import { executeBatch } from "./execute-batch.ts";
import { validateRequest } from "./validate-request.ts";
import { listAdapters } from "./list-adapters.ts";
import { replayRun } from "./replay-run.ts";
import { bulkCancelRuns } from "./bulk-cancel-runs.ts";
import { bulkReplayRuns } from "./bulk-replay-runs.ts";
import { getBulkOperation } from "./get-bulk-operation.ts";

export const executeOperations: readonly Operation<ApiContext>[] = [
  executeAgent,
  executeBatch,
  validateRequest,
  listAdapters,
  bulkCancelRuns,
  bulkReplayRuns,
  replayRun,
  getBulkOperation,
];
