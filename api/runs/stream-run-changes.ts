import { z } from "zod";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { type MoveCursor, parseMoveCursor } from "../../shared/domain/run/move-cursor.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { changesResync, runChanged, runChangeEvent, runChangeFilter } from "../../shared/schemas/run-change.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { awayOf } from "../stream/resume-elsewhere.ts";
import { encodeMessage, writeSse } from "../stream/write-sse.ts";
import { filterChanges } from "./change-filter.ts";

const example =
  encodeMessage({ event: "resync", id: "4711-0", data: exampleOf(changesResync) }) +
  encodeMessage({ event: "run.changed", id: "4712-93", data: exampleOf(runChanged) });

export const streamRunChanges = defineOperation({
  method: "get",
  path: "/v1/runs/stream",
  name: "stream_run_changes",
  area: "Runs",
  scope: "runs:read",
  summary: "Stream the changes of a list of runs",
  description:
    "Server-Sent Events: `run.changed` with the row of each run that enters the list, moves from one status to another, or leaves it (`matches: false`). The filters are those of the list, without `search`. Moves of a run within 250 ms are one event, which says what the run is now. `resync` says that changes before it are not told: open the stream, then read the list whenever a `resync` comes. Resume with `Last-Event-ID` (or `?after=`): no change is missed or repeated. The stream ends when the client disconnects.",
  request: {
    query: z.object({ ...runChangeFilter, ...afterQuery }),
    headers: z.object(lastEventIdHeader),
  },
  errors: ["malformed_cursor", "too_many_streams"],
  responses: {
    200: { description: "Server-Sent Events", content_type: "text/event-stream", events: runChangeEvent, example },
  },
  async handle(
    ctx: Pick<ApiContext, "runChanges" | "stores" | "leaving">,
    { query: { after, ...filter }, headers, untilGone, caller, holdOpen },
  ) {
    const cursor = readLastEventId({ headers, query: { after } });
    const place = cursor === undefined ? null : readPlace(cursor);
    holdOpen();
    const away = awayOf(ctx);
    const until = AbortSignal.any([untilGone(), away.leaving, away.cutOff]);
    const membershipOf = filterChanges(caller.owner, filter);
    return {
      async respond(_req, res) {
        const reader = await ctx.runChanges.follow(membershipOf, place);
        await writeSse(res, reader.texts(until), away);
      },
    };
  },
});

/** Throws bad_request when the text is no event id. */
function readPlace(text: string): MoveCursor {
  const place = parseMoveCursor(text);
  if (place) return place;
  throw new AppError(
    "bad_request",
    "malformed_cursor",
    "`Last-Event-ID` or `after` is not the id of an event of this stream. An id has the form 4711-93.",
  );
}
