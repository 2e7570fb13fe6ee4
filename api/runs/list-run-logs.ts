import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type EventId, formatEventId } from "../../shared/domain/run/event-id.ts";
import { cutPage } from "../../shared/domain/json/cut-page.ts";
import { choice, laxInt, pageOf, text } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { type RunLog, runLog } from "../../shared/schemas/run-history.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { backfill } from "../stream/backfill.ts";
import { parseLastEventId } from "../stream/parse-last-event-id.ts";
import { runParams } from "./run-params.ts";

const logQuery = z.object({
  limit: laxInt({ ge: 1, le: 1000 }).default(100).meta({ description: "The largest number of things to return." }),
  after: z
    .string()
    .optional()
    .meta({ description: "The page starts after the line with this id: `last_id` of the previous page." }),
  level: text({ max: 64 })
    .optional()
    .meta({ description: "Only lines of this level. The names of levels are the agent's." }),
  stream: choice(["stderr", "agent"])
    .optional()
    .meta({ description: "Only lines written to stderr, or only lines that the agent logged." }),
});
type LogQuery = z.output<typeof logQuery>;

export const listRunLogs = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/logs",
  name: "list_run_logs",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's log and stderr lines",
  description: "Use it to find out why a run failed, without its output and other events.",
  request: { params: runParams, query: logQuery },
  errors: ["bad_event_id"],
  responses: { 200: { description: "A page of lines, oldest first", schema: pageOf(runLog) } },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { params: { run_id }, query, caller }) {
    const cursor = parseLastEventId(query.after);
    if (!(await readRunHandle(ctx.db, run_id, caller.owner))) throw notFound("run", run_id);
    const found = await findLogs(ctx, run_id, cursor, query);
    const data = cutPage(found, query.limit, lineBytes);
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { status: 200, body: { data, has_more: found.length > data.length, ...ids } };
  },
});

const lineBytes = ({ message }: RunLog): number => message.length;

/** Returns more lines than a page holds, if there are so many: one more tells that there is another page. */
async function findLogs(
  ctx: Pick<ApiContext, "db" | "streams">,
  runId: string,
  start: EventId,
  query: LogQuery,
): Promise<RunLog[]> {
  const logs: RunLog[] = [];
  let cursor = start;
  while (logs.length <= query.limit && cutPage(logs, query.limit, lineBytes).length === logs.length) {
    const { events } = await backfill(ctx, runId, cursor);
    const last = events.at(-1);
    if (!last) break;
    cursor = last;
    logs.push(...events.flatMap((event) => readLog(event, query)));
  }
  return logs;
}

function readLog(event: StreamEvent, { level, stream }: LogQuery): RunLog[] {
  if (event.type !== "log") return [];
  const log = runLog.omit({ id: true }).parse(JSON.parse(event.data));
  const asked = (level === undefined || log.level === level) && (stream === undefined || log.stream === stream);
  return asked ? [{ id: formatEventId(event), ...log }] : [];
}
