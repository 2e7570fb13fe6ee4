import type { ApiContext } from "./context.ts";
import { executeOperations } from "./execute/operations.ts";
import { bulkOperations } from "./bulk/operations.ts";
import { replayOperations } from "./replay/operations.ts";
import { agentsOperations } from "./agents/operations.ts";
import { versionsOperations } from "./versions/operations.ts";
import { runsOperations } from "./runs/operations.ts";
import { answersOperations } from "./answers/operations.ts";
import { inputsOperations } from "./inputs/operations.ts";
import { threadsOperations } from "./threads/operations.ts";
import { jobsOperations } from "./jobs/operations.ts";
import { storeOperations } from "./store/operations.ts";
import { usersOperations } from "./users/operations.ts";
import { sessionsOperations } from "./sessions/operations.ts";
import { daemonsOperations } from "./daemons/operations.ts";
import { notificationsOperations } from "./notifications/operations.ts";
import { webhooksOperations } from "./webhooks/operations.ts";
import { hooksOperations } from "./hooks/operations.ts";
import { connectionsOperations } from "./connections/operations.ts";
import { secretsOperations } from "./secrets/operations.ts";
import { studioOperations } from "./studio/operations.ts";
import { adminOperations } from "./admin/operations.ts";
import { billingOperations } from "./billing/operations.ts";
import { internalOperations } from "./internal/operations.ts";
import { systemOperations } from "./system/operations.ts";
import type { Operation } from "./http/define-operation.ts";

/** All operations of the service. The router, the OpenAPI document and the tests use this list. */
export const operations: readonly Operation<ApiContext>[] = [
  ...executeOperations,
  ...bulkOperations,
  ...replayOperations,
  ...agentsOperations,
  ...versionsOperations,
  ...runsOperations,
  ...answersOperations,
  ...inputsOperations,
  ...threadsOperations,
  ...jobsOperations,
  ...storeOperations,
  ...usersOperations,
  ...sessionsOperations,
  ...daemonsOperations,
  ...notificationsOperations,
  ...webhooksOperations,
  ...hooksOperations,
  ...connectionsOperations,
  ...secretsOperations,
  ...studioOperations,
  ...adminOperations,
  ...billingOperations,
  ...internalOperations,
  ...systemOperations,
];
