import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { createThread } from "./create-thread.ts";
import { listThreads } from "./list-threads.ts";
import { getThread } from "./get-thread.ts";
import { updateThread } from "./update-thread.ts";
import { deleteThread } from "./delete-thread.ts";
import { listThreadRuns } from "./list-thread-runs.ts";
import { listThreadMessages } from "./list-thread-messages.ts";
import { getThreadState } from "./get-thread-state.ts";
import { setThreadState } from "./set-thread-state.ts";
import { listThreadHistory } from "./list-thread-history.ts";
import { forkThread } from "./fork-thread.ts";
import { streamThread } from "./stream-thread.ts";

export const threadsOperations: readonly Operation<ApiContext>[] = [
  createThread,
  listThreads,
  getThread,
  updateThread,
  deleteThread,
  listThreadRuns,
  listThreadMessages,
  getThreadState,
  setThreadState,
  listThreadHistory,
  forkThread,
  streamThread,
];
