import { z } from "zod";
import { executeRequest } from "../../shared/schemas/execute-request.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { idempotencyHeader, repeatKeyOf, replayed } from "../http/idempotency-header.ts";
import { type AcceptDeps, acceptErrors } from "../../shared/services/runs/accept-run.ts";
import { cancelRun } from "../../shared/services/runs/cancel-run.ts";
import { formatQuery, respondSse } from "../stream/respond-sse.ts";
import { acceptAndFollow, awaitFollowedRun } from "./accept-and-follow.ts";
import { parsePrefer, type Prefer } from "./parse-prefer.ts";

export const executeAgent = defineOperation({
  method: "post",
  path: "/v1/execute",
  name: "execute_agent",
  area: "Execute",
  scope: "runs:write",
  audit: { none: "The run is the record: its timeline names who started it." },
  ignores: "unknown_fields",
  summary: "Run an agent and stream its results",
  description:
    "The answer is a stream of Server-Sent Events until the run's terminal event. With `Prefer: respond-async` it is 202 and the run. With `Prefer: wait=N` it comes when the run has ended, or after N seconds (at most 60). An interrupted stream is resumed at `GET /v1/runs/{run_id}/stream` with `Last-Event-ID`. `?format=` selects the stream format of another protocol.",
  request: {
    query: z.object({
      on_disconnect: choice(["continue", "cancel"])
        .default("continue")
        .meta({ description: "What happens to the run when the client disconnects." }),
      ...formatQuery,
    }),
    headers: z.object({
      prefer: z
        .string()
        .optional()
        .meta({ description: "`respond-async` or `wait=N`. Left out: the answer is a stream." }),
      ...idempotencyHeader,
    }),
    body: executeRequest,
  },
  errors: [...acceptErrors, "too_many_streams"],
  responses: {
    200: { description: "The stream; with `Prefer`, the ended run", schema: runRecord, streams: true },
    202: { description: "The run was accepted, and has not ended", schema: runRecord, example: queuedExample },
  },
  async handle(
    ctx: AcceptDeps & Pick<ApiContext, "hub" | "leaving" | "stores">,
    { body, headers, query, traceparent, untilGone, caller, holdOpen },
  ) {
    const key = headers["idempotency-key"];
    const prefer = parsePrefer(headers.prefer);
    if (staysOpen(prefer)) holdOpen();
    const accepted = await acceptAndFollow(ctx, body, {
      owner: caller.owner,
      actor: caller.actor,
      traceparent: traceparent ?? null,
      key: repeatKeyOf(caller, "execute", key),
    });
    const attached = key !== undefined && accepted.queued === null ? replayed : {};
    if (query.on_disconnect === "cancel")
      onceAborted(untilGone(), () => void cancelRun(ctx, accepted.run_id, caller).catch(() => undefined));
    if (prefer === "stream")
      return {
        respond: (_req, res) =>
          respondSse(ctx, res.set(attached), {
            ...accepted,
            first: accepted.queued,
            format: query.format,
          }),
      };
    const signals = [untilGone(), ctx.leaving];
    if (prefer.waitMs > 0) await awaitFollowedRun(ctx, accepted, prefer.waitMs, signals);
    accepted.tail.close();
    const record = await readRun(ctx.db, accepted.run_id, caller.owner);
    if (!record) throw new Error("An accepted run has no row.");
    const location = {
      ...attached,
      Location: `/v1/runs/${record.id}/stream`,
      "Content-Location": `/v1/runs/${record.id}`,
    };
    const answer = { body: record, headers: location };
    // With `respond-async` a new run is answered with 202, even when it has ended by now.
    const isNew = prefer.waitMs === 0 && accepted.queued !== null;
    return isNew || record.completed_at === null ? { status: 202, ...answer } : { status: 200, ...answer };
  },
});

const staysOpen = (prefer: Prefer): boolean => prefer === "stream" || prefer.waitMs > 0;

function onceAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act);
}
