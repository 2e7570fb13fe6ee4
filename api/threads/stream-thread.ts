import { z } from "zod";
import { AppError, notFound } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, formatEventId, parseEventId } from "../../shared/domain/run/event-id.ts";
import { runEvent } from "../../shared/schemas/run-event.ts";
import { threadParams } from "../../shared/schemas/thread.ts";
import { placeOfRun, type RunPlace, type ThreadView } from "../../shared/store/threads/next-run.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { followThread, type ThreadEvents } from "../stream/follow-thread.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { awayOf } from "../stream/resume-elsewhere.ts";
import { writeSse } from "../stream/write-sse.ts";

const example = `id: run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c/1-2\nevent: output.delta\ndata: {"type":"output.delta","run_id":"run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c","attempt":1,"seq":2,"ts":"2026-11-21T10:00:00.000Z","content":"Hello"}\n\n`;

export const streamThread = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}/stream",
  name: "stream_thread",
  area: "Threads",
  scope: "runs:read",
  summary: "Stream all runs of a thread, one after the other",
  description:
    "The events of a run's stream, of each run of the thread in order, and of those that are still to come; a delayed run comes when it is due. An id is `<run_id>/<attempt>-<seq>`. Resume with `Last-Event-ID` (or `?after=`), any number of times, at any API process: no event is missed or repeated. A run that waits for an answer holds the runs behind it until it is answered or ends. The stream ends when the client disconnects.",
  request: { params: threadParams, query: z.object(afterQuery), headers: z.object(lastEventIdHeader) },
  errors: ["bad_event_id", "too_many_streams"],
  responses: {
    200: { description: "Server-Sent Events", content_type: "text/event-stream", events: runEvent, example },
  },
  async handle(
    ctx: Pick<ApiContext, "db" | "hub" | "stores" | "leaving">,
    { params: { thread_id }, query, headers, untilGone, caller, holdOpen },
  ) {
    const thread = await readThread(ctx.db, thread_id, caller.owner);
    if (!thread) throw notFound("thread", thread_id);
    const view = { thread_id, owner: caller.owner, since: new Date(thread.created_at) };
    const start = await readStart(ctx, view, readLastEventId({ headers, query }));
    holdOpen();
    const away = awayOf(ctx);
    const until = AbortSignal.any([untilGone(), away.leaving, away.cutOff]);
    return { respond: (_req, res) => writeSse(res, encodeAll(followThread(ctx, view, start, until)), away) };
  },
});

type Start = { run: RunPlace | null; event: EventId };

/** Throws bad_request for an id that is none of this thread's events. */
async function readStart(ctx: Pick<ApiContext, "db">, view: ThreadView, id: string | undefined): Promise<Start> {
  if (id === undefined) return { run: null, event: beforeFirst };
  const cut = id.lastIndexOf("/");
  const event = parseEventId(id.slice(cut + 1));
  const run = cut > 0 && event && cut <= 128 ? await placeOfRun(ctx.db, view, id.slice(0, cut)) : null;
  if (!event || !run)
    throw new AppError(
      "bad_request",
      "bad_event_id",
      "`Last-Event-ID` or `after` is not the id of an event of this thread. An id has the form <run_id>/<attempt>-<seq>.",
    );
  return { run, event };
}

async function* encodeAll(batches: AsyncIterable<ThreadEvents>): AsyncGenerator<string> {
  for await (const { run_id, events } of batches)
    yield events
      .map((event) => `id: ${run_id}/${formatEventId(event)}\nevent: ${event.type}\ndata: ${event.data}\n\n`)
      .join("");
}
