import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { getConfig } from "./get-config.ts";
import { getAdminOverview } from "./get-admin-overview.ts";
import { getFleetHistory } from "./get-fleet-history.ts";
import { getFleet } from "./get-fleet.ts";
import { drainWorker } from "./drain-worker.ts";
import { killWorker } from "./kill-worker.ts";
import { listQueues } from "./list-queues.ts";
import { pauseQueue } from "./pause-queue.ts";
import { resumeQueue } from "./resume-queue.ts";
import { listDeadLetters } from "./list-dead-letters.ts";
import { listAllUsers } from "./list-all-users.ts";
import { listAllAgents } from "./list-all-agents.ts";
import { listAllRuns } from "./list-all-runs.ts";
import { killRun } from "./kill-run.ts";
import { listAllDaemons } from "./list-all-daemons.ts";
import { getCosts } from "./get-costs.ts";
import { listAudit } from "./list-audit.ts";

export const adminOperations: readonly Operation<ApiContext>[] = [
  getAdminOverview,
  getConfig,
  getFleet,
  getFleetHistory,
  drainWorker,
  killWorker,
  listQueues,
  pauseQueue,
  resumeQueue,
  listDeadLetters,
  listAllUsers,
  listAllAgents,
  listAllRuns,
  killRun,
  listAllDaemons,
  getCosts,
  listAudit,
];
