import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { compareEventIds } from "../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { parseLastEventId } from "../stream/parse-last-event-id.ts";
import { streamAgain } from "../stream/respond-run.ts";
import { formatQuery, viewOf } from "../stream/stream-format.ts";
import { runParams } from "./run-params.ts";

export const streamRun = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/stream",
  name: "stream_run",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "Stream a run's events, or resume the stream",
  description:
    "Without a cursor the stream starts with the first event. Resume with `Last-Event-ID` (or `?after=`), any number of times, at any API process: no event is missed or repeated. 204 when no event is left. `?format=` selects the stream format of another protocol; all formats except `text` have the same ids.",
  request: {
    params: runParams,
    query: z.object({
      ...afterQuery,
      ...formatQuery,
      token: z.string().optional().meta({ description: "The run's read token, for EventSource." }),
    }),
    headers: z.object(lastEventIdHeader),
  },
  errors: ["bad_event_id", "too_many_streams"],
  responses: {
    200: { description: "The stream", content_type: "text/event-stream", streams: true },
    204: { description: "The run has ended or is interrupted, and the reader has all of its events" },
  },
  async handle(
    ctx: Pick<ApiContext, "log" | "db" | "hub" | "stores" | "leaving">,
    { params, query, headers, caller, holdOpen },
  ) {
    const { run_id } = params;
    const cursor = parseLastEventId(readLastEventId({ headers, query }));
    const [state] = await readRunStates(ctx.db, [run_id], caller.owner);
    if (!state) throw notFound("run", run_id);
    const rests = isTerminal(state.status) || state.status === "interrupted";
    if (rests && compareEventIds(cursor, state.last) >= 0) return { status: 204 };
    holdOpen();
    return streamAgain(ctx, { run_id, thread_id: null, cursor }, viewOf(run_id, query.format));
  },
});
