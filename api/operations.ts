import { getFleet } from "./admin/get-fleet.ts";
import { createAgent } from "./agents/create-agent.ts";
import type { ApiContext } from "./context.ts";
import { controlDaemon } from "./daemons/control-daemon.ts";
import { createDaemon } from "./daemons/create-daemon.ts";
import { getDaemonStatus } from "./daemons/get-daemon-status.ts";
import { listDaemonLogs } from "./daemons/list-daemon-logs.ts";
import { listDaemons } from "./daemons/list-daemons.ts";
import { postDaemonMessage } from "./daemons/post-daemon-message.ts";
import { startDaemon } from "./daemons/start-daemon.ts";
import { stopDaemon } from "./daemons/stop-daemon.ts";
import { streamDaemon } from "./daemons/stream-daemon.ts";
import { executeAgent } from "./execute/execute-agent.ts";
import type { Operation } from "./http/define-operation.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { completeRun } from "./runs/complete-run.ts";
import { getRun } from "./runs/get-run.ts";
import { listRunCallbacks } from "./runs/list-run-callbacks.ts";
import { listRunEvents } from "./runs/list-run-events.ts";
import { listRuns } from "./runs/list-runs.ts";
import { redeliverRunCallback } from "./runs/redeliver-run-callback.ts";
import { streamRun } from "./runs/stream-run.ts";
import { getHealth, getLive, getReady } from "./system/health.ts";
import { getMetrics } from "./system/metrics.ts";
import { rollbackAgent } from "./versions/rollback-agent.ts";
import { upgradeAgent } from "./versions/upgrade-agent.ts";
import { rotateSigningSecret } from "./users/rotate-signing-secret.ts";

/** Every operation of the service: the router, the OpenAPI document and the tests take it from here. */
export const operations: readonly Operation<ApiContext>[] = [
  executeAgent,
  createAgent,
  listRuns,
  getRun,
  streamRun,
  listRunEvents,
  listRunCallbacks,
  redeliverRunCallback,
  completeRun,
  cancelRun,
  upgradeAgent,
  rollbackAgent,
  controlDaemon,
  getDaemonStatus,
  startDaemon,
  stopDaemon,
  listDaemonLogs,
  streamDaemon,
  postDaemonMessage,
  listDaemons,
  createDaemon,
  rotateSigningSecret,
  getFleet,
  getHealth,
  getLive,
  getReady,
  getMetrics,
];
