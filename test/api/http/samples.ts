import { once } from "node:events";
import { z } from "zod";
import { type Operation, defineOperation } from "../../../api/http/define-operation.ts";
import { AppError, conflict, notFound, unavailable } from "../../../shared/domain/errors/app-error.ts";
import {
  clientId,
  jsonObject,
  laxInt,
  pageOf,
  pageQuery,
  stringMap,
  text,
} from "../../../shared/schemas/primitives.ts";

const run = z.object({ id: z.string(), note: z.string().nullable() }).meta({ id: "Run" });

const startRun = defineOperation({
  method: "post",
  audit: { none: "A sample" },
  path: "/v1/runs",
  name: "start_run",
  area: "Runs",
  scope: "public",
  summary: "Start a run",
  description: "Starts it.",
  request: {
    headers: z.object({ "idempotency-key": text({ max: 64 }).optional() }),
    body: z
      .object({
        id: clientId(),
        input: jsonObject().default({}),
        env: stringMap().default({}),
        priority: laxInt({ ge: 0, le: 9 }).default(5),
      })
      .meta({ id: "StartRun", example: { id: "r1" } }),
  },
  responses: { 201: { description: "The run, and what came in", schema: z.object({ run, got: z.unknown() }) } },
  handle: async (_ctx: unknown, { body, headers }) => ({
    status: 201,
    body: { run: { id: body.id, note: headers["idempotency-key"] ?? null }, got: JSON.stringify(body) },
    headers: { Location: `/v1/runs/${encodeURIComponent(body.id)}` },
  }),
});

const listRuns = defineOperation({
  method: "get",
  path: "/v1/runs",
  name: "list_runs",
  area: "Runs",
  scope: "public",
  summary: "List runs",
  request: { query: pageQuery },
  responses: {
    200: {
      description: "A page",
      schema: pageOf(run),
      example: { data: [], has_more: false, first_id: null, last_id: null },
    },
  },
  handle: async (_ctx: unknown, { query }) => ({
    status: 200,
    body: { data: [{ id: String(query.limit), note: query.order }], has_more: false, first_id: null, last_id: null },
  }),
});

const getRun = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}",
  name: "get_run",
  area: "Runs",
  scope: "public",
  summary: "Get a run",
  request: { params: z.object({ run_id: text() }) },
  responses: { 200: { description: "The run", schema: run }, 204: { description: "Nothing" } },
  handle: async (_ctx: unknown, { params }) =>
    params.run_id === "none" ? { status: 204 } : { status: 200, body: { id: params.run_id, note: null } },
});

const myRun = defineOperation({
  method: "get",
  path: "/v1/runs/mine",
  name: "my_run",
  area: "Runs",
  scope: "public",
  summary: "My run",
  responses: { 200: { description: "The run", schema: run } },
  handle: async () => ({ status: 200, body: { id: "the one that is mine", note: null } }),
});

const failing: Record<string, () => Error> = {
  missing: () => notFound("run", "r1"),
  conflict: () => conflict("thread_busy", "The thread is busy."),
  busy: () => unavailable("queue_full", "The queue is full.", 7),
  anonymous: () => new AppError("unauthorized", "missing_key", "Send a key."),
  database: () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
  bug: () => new TypeError("SELECT secret FROM users"),
};

const fail = defineOperation({
  method: "get",
  path: "/fail/{how}",
  name: "fail",
  area: "Samples",
  scope: "public",
  summary: "Fail",
  request: { params: z.object({ how: text() }) },
  responses: { 204: { description: "Never" } },
  handle: async (_ctx: unknown, { params }) => {
    throw failing[params.how]?.() ?? new Error("unknown");
  },
});

const signedEvent = defineOperation({
  method: "post",
  audit: { none: "A sample" },
  path: "/signed",
  name: "signed",
  area: "Samples",
  scope: "public",
  summary: "Take bytes",
  rawBody: { most_bytes: 1_000_000, most_ms: 500 },
  responses: { 200: { description: "Their length", schema: z.object({ bytes: z.number() }) } },
  handle: async (_ctx: unknown, { body }) => ({ status: 200, body: { bytes: body.length } }),
});

/** Emits "gone" when a client left the stream. */
export const streamEvents = new EventTarget();

const stream = defineOperation({
  method: "get",
  path: "/stream",
  name: "stream",
  area: "Samples",
  scope: "public",
  summary: "Stream for ever",
  responses: { 200: { description: "Events", content_type: "text/event-stream", example: "data: 1\n\n" } },
  handle: async (_ctx: unknown, { untilGone }) => ({
    respond: async (_req, res) => {
      res.set("Content-Type", "text/event-stream").write("data: 1\n\n");
      await once(untilGone(), "abort");
      streamEvents.dispatchEvent(new Event("gone"));
    },
  }),
});

export const samples: readonly Operation<unknown>[] = [startRun, listRuns, getRun, myRun, fail, signedEvent, stream];
