import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { bulkCancelRuns } from "./bulk-cancel-runs.ts";
import { bulkReplayRuns } from "./bulk-replay-runs.ts";
import { listBulkOperations } from "./list-bulk-operations.ts";
import { getBulkOperation } from "./get-bulk-operation.ts";

export const bulkOperations: readonly Operation<ApiContext>[] = [
  bulkCancelRuns,
  bulkReplayRuns,
  listBulkOperations,
  getBulkOperation,
];
