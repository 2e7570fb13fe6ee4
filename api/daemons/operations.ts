import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { controlDaemon } from "./control-daemon.ts";
import { getDaemonStatus } from "./get-daemon-status.ts";
import { startDaemon } from "./start-daemon.ts";
import { stopDaemon } from "./stop-daemon.ts";
import { listDaemonLogs } from "./list-daemon-logs.ts";
import { streamDaemon } from "./stream-daemon.ts";
import { postDaemonMessage } from "./post-daemon-message.ts";
import { listDaemons } from "./list-daemons.ts";
import { createDaemon } from "./create-daemon.ts";

export const daemonsOperations: readonly Operation<ApiContext>[] = [
  controlDaemon,
  getDaemonStatus,
  startDaemon,
  stopDaemon,
  listDaemonLogs,
  streamDaemon,
  postDaemonMessage,
  listDaemons,
  createDaemon,
];
