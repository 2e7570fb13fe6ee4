import { z } from "zod";
import { executeRequest } from "../../shared/schemas/execute-request.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { idempotencyHeader, repeatKeyOf, replayed } from "../http/idempotency-header.ts";
import { holdsOpen, parsePrefer, preferHeader } from "../http/parse-prefer.ts";
import { type AcceptDeps, acceptErrors } from "../../shared/services/runs/accept-run.ts";
import { acceptAndFollow } from "../stream/accept-and-follow.ts";
import { cancelOnDisconnect } from "../stream/cancel-on-disconnect.ts";
import { awaitRecord, streamOf } from "../stream/respond-run.ts";
import { formatQuery, viewOf } from "../stream/stream-format.ts";

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
      ...preferHeader,
      ...idempotencyHeader,
    }),
    body: executeRequest,
  },
  errors: [...acceptErrors, "run_not_found", "too_many_streams"],
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
    if (holdsOpen(prefer)) holdOpen();
    const accepted = await acceptAndFollow(ctx, body, {
      owner: caller.owner,
      actor: caller.actor,
      traceparent: traceparent ?? null,
      key: repeatKeyOf(caller, "execute", key),
    });
    const attached = key !== undefined && accepted.queued === null ? replayed : {};
    if (query.on_disconnect === "cancel") cancelOnDisconnect(ctx, accepted.run_id, { caller, gone: untilGone() });
    const { projection, headers: locations } = viewOf(accepted.run_id, query.format);
    const answered = { ...attached, ...locations };
    if (prefer === "stream") return streamOf(ctx, accepted, { projection, headers: answered });
    const record = await awaitRecord(ctx, accepted, { prefer, untilGone: untilGone(), owner: caller.owner });
    const answer = { body: record, headers: answered };
    // With `respond-async` a new run is answered with 202, even when it has ended by now.
    const isNew = prefer.waitMs === 0 && accepted.queued !== null;
    return isNew || record.completed_at === null ? { status: 202, ...answer } : { status: 200, ...answer };
  },
});
