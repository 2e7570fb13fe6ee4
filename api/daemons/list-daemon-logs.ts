import { z } from "zod";
import { daemonLogLine } from "../../shared/schemas/daemon.ts";
import { laxInt, pageOf } from "../../shared/schemas/primitives.ts";
import { readDaemonLog } from "../../shared/store/daemons/read-daemon-log.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { daemonParams } from "./daemon-request.ts";
import { readLogCursor } from "./log-cursor.ts";

export const listDaemonLogs = defineOperation({
  method: "get",
  path: "/v1/daemon/{agent_id}/logs",
  name: "list_daemon_logs",
  area: "Daemons",
  scope: "daemons:read",
  summary: "A daemon's log, oldest first",
  description: "The log has what the daemon prints outside of its messages, and lines of its supervisor.",
  request: {
    params: daemonParams,
    query: z.object({
      limit: laxInt({ ge: 1, le: 1000 }).default(100).meta({ description: "The largest number of things to return." }),
      after: z
        .string()
        .optional()
        .meta({ description: "The page starts after the line with this id: `last_id` of the previous page." }),
    }),
  },
  errors: ["malformed_cursor"],
  responses: { 200: { description: "A page of lines", schema: pageOf(daemonLogLine) } },
  async handle(ctx: Pick<ApiContext, "db">, { params, query, caller }) {
    await readDaemonOf(ctx, params.agent_id, caller.owner);
    const page = await readDaemonLog(ctx.db, params.agent_id, readLogCursor(query.after), query.limit);
    const ids = { first_id: page.data[0]?.id ?? null, last_id: page.data.at(-1)?.id ?? null };
    return { status: 200, body: { ...page, ...ids } };
  },
});
