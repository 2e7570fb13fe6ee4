import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type EventId, formatEventId } from "../../shared/domain/run/event-id.ts";
import { cutPage } from "../../shared/domain/json/cut-page.ts";
import { laxInt } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { type RunEvent, runEvent } from "../../shared/schemas/run-event.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { backfill } from "../stream/backfill.ts";
import { parseLastEventId } from "../stream/parse-last-event-id.ts";
import { runParams } from "./run-params.ts";

const listedEvent = z.intersection(z.object({ id: z.string() }), runEvent).meta({
  id: "ListedRunEvent",
  description: "An event of a run with its id, after which a stream or a list goes on.",
});

const eventList = z
  .object({
    data: z.array(listedEvent),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({
    id: "RunEvents",
    example: {
      data: [
        {
          id: "1-3",
          type: "output.delta",
          run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
          attempt: 1,
          seq: 3,
          ts: "2026-11-21T10:00:00.000Z",
          content: "Hello, ",
        },
      ],
      has_more: true,
      first_id: "1-3",
      last_id: "1-3",
    },
  });

/** Returns a page, and more events than it holds if there are more. */
async function findEvents(ctx: Pick<ApiContext, "db" | "streams">, runId: string, start: EventId, limit: number) {
  const events: StreamEvent[] = [];
  for (let cursor = start; ;) {
    const found = (await backfill(ctx, runId, cursor)).events;
    events.push(...found);
    const page = cutPage(events, limit, ({ data }) => data.length);
    const last = found.at(-1);
    if (!last || page.length < events.length) return { events, page };
    cursor = last;
  }
}

export const listRunEvents = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/events",
  name: "list_run_events",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's events as a list",
  description:
    "The stream as pages of JSON, for clients that can't read Server-Sent Events, and for what was sent before. The events are those of `GET /v1/runs/{run_id}/stream`.",
  request: {
    params: runParams,
    query: z.object({
      limit: laxInt({ ge: 1, le: 1000 }).default(100).meta({ description: "The largest number of things to return." }),
      after: z
        .string()
        .optional()
        .meta({ description: "The page starts after the event with this id: `last_id` of the previous page." }),
    }),
  },
  errors: ["bad_event_id"],
  responses: { 200: { description: "A page of events, oldest first", schema: eventList } },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { params, query, caller }) {
    const cursor = parseLastEventId(query.after);
    const [state] = await readRunStates(ctx.db, [params.run_id], caller.owner);
    if (!state) throw notFound("run", params.run_id);
    const { events, page } = await findEvents(ctx, params.run_id, cursor, query.limit);
    const data = page.map((event) => ({
      id: formatEventId(event),
      // Our own code wrote it.
      ...(JSON.parse(event.data) as RunEvent),
    }));
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { status: 200, body: { data, has_more: events.length > page.length, ...ids } };
  },
});
