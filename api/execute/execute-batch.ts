import { z } from "zod";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { type ExecuteRequest, executeRequest } from "../../shared/schemas/execute-request.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { defineOperation } from "../http/define-operation.ts";
import { idempotencyHeader } from "../http/idempotency-header.ts";
import { type AcceptDeps, acceptRun } from "../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../shared/services/runs/prepare-run.ts";

const maxRequests = 100;

const item = z.object({
  index: z.number().int(),
  run_id: z.string().nullable(),
  error: z
    .object({ code: z.string(), detail: z.unknown() })
    .nullable()
    .meta({ description: "Why this request was refused. The other runs are started nevertheless." }),
});
type Item = z.infer<typeof item>;

export const executeBatch = defineOperation({
  method: "post",
  path: "/v1/execute/batch",
  name: "execute_batch",
  area: "Execute",
  scope: "runs:write",
  idempotent: true,
  audit: { none: "The runs are the record: their timelines name who started them." },
  summary: "Start up to 100 runs at once",
  description:
    "Each request is handled like `POST /v1/execute` with `Prefer: respond-async`. A field of a wrong type refuses the whole batch (422).",
  request: {
    headers: z.object(idempotencyHeader),
    body: z
      .object({ requests: z.array(executeRequest).min(1).max(maxRequests) })
      .meta({ id: "ExecuteBatch", example: { requests: [{ agent_id: "hello-agent", version: "current" }] } }),
  },
  responses: {
    202: {
      description: "The result of each request, in the order of the requests",
      schema: z.object({ accepted: z.number().int(), refused: z.number().int(), data: z.array(item) }).meta({
        id: "BatchResult",
        example: {
          accepted: 1,
          refused: 1,
          data: [
            { index: 0, run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c", error: null },
            { index: 1, run_id: null, error: { code: "agent_not_found", detail: "No agent with the id 'gone'." } },
          ],
        },
      }),
    },
  },
  async handle(ctx: AcceptDeps, { body, headers, caller, traceparent }) {
    const key = headers["idempotency-key"];
    const user_id = caller.owner ?? caller.user_id;
    // Each item has a key of its own: if the first request failed half way, a repeated one finds the runs that it made.
    const originOf = (index: number): Origin => ({
      owner: caller.owner,
      actor: caller.actor,
      traceparent: traceparent ?? null,
      key: key === undefined ? null : { user_id, route: `execute-batch/${index}`, key },
    });
    const data: Item[] = [];
    // One after the other, so that the queue and the threads have the runs in the order of the requests.
    for (const [index, request] of body.requests.entries())
      data.push(await start(ctx, index, request, originOf(index)));
    const accepted = data.filter(({ run_id }) => run_id !== null).length;
    return { status: 202, body: { accepted, refused: data.length - accepted, data } };
  },
});

async function start(ctx: AcceptDeps, index: number, request: ExecuteRequest, origin: Origin): Promise<Item> {
  try {
    return { index, run_id: (await acceptRun(ctx, request, origin)).run_id, error: null };
  } catch (error) {
    if (error instanceof ValidationFault)
      return { index, run_id: null, error: { code: "validation_error", detail: error.detail } };
    if (error instanceof AppError) return { index, run_id: null, error: { code: error.code, detail: error.message } };
    throw error;
  }
}
