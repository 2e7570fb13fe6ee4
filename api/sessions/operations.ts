import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { createSession } from "./create-session.ts";
import { createSessionCode } from "./create-session-code.ts";
import { endCurrentSession } from "./end-current-session.ts";
import { endSession } from "./end-session.ts";
import { getCurrentSession } from "./get-current-session.ts";
import { listSessions } from "./list-sessions.ts";

export const sessionsOperations: readonly Operation<ApiContext>[] = [
  createSession,
  getCurrentSession,
  endCurrentSession,
  createSessionCode,
  listSessions,
  endSession,
];
