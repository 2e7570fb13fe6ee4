import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { getService } from "./get-service.ts";
import { getHealth } from "./health.ts";
import { getLive } from "./health.ts";
import { getReady } from "./health.ts";
import { getMetrics } from "./metrics.ts";

export const systemOperations: readonly Operation<ApiContext>[] = [
  getService,
  getHealth,
  getLive,
  getReady,
  getMetrics,
];
