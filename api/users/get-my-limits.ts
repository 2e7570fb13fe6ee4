import { z } from "zod";
import { narrower } from "../../shared/domain/run/narrow-config.ts";
import { queueTtlMs, runLimits } from "../../shared/domain/run/run-limits.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { me } from "../../shared/schemas/user.ts";
import { countActiveRuns } from "../../shared/store/runs/read/active-runs.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

const numbers = z.record(z.string(), z.number());

export const getMyLimits = defineOperation({
  method: "get",
  path: "/v1/users/me/limits",
  name: "get_my_limits",
  area: "Users",
  scope: "users:read",
  summary: "The limits of requests and runs, and your current numbers",
  description: "Use it to learn how much room is left before requests are refused (429, 402 or 409).",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: {
    200: {
      description: "The limits",
      schema: z
        .object({
          request: numbers,
          run: numbers,
          queue_ttl_ms: z.number().int(),
          requests_per_minute: z.number().int().nullable().meta({
            description: "The limit of this key, or of its user where that is lower. Null: no limit.",
          }),
          open_runs: z.object({ queued: z.number().int(), running: z.number().int() }),
        })
        .meta({
          id: "Limits",
          example: {
            request: requestLimits,
            run: runLimits,
            queue_ttl_ms: queueTtlMs,
            requests_per_minute: 600,
            open_runs: { queued: 1, running: 2 },
          },
        }),
    },
  },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { query, caller }) {
    const { queued, running } = await countActiveRuns(db, { user_id: ownerOf(caller, query.user_id) });
    const { user, key } = caller.per_minute;
    const ofUser = user ?? (config.auth.requestsPerMinute || undefined);
    const requests_per_minute = narrower(ofUser, key ?? undefined) ?? null;
    const body = { request: requestLimits, run: runLimits, queue_ttl_ms: queueTtlMs, requests_per_minute };
    return { status: 200, body: { ...body, open_runs: { queued, running } } };
  },
});
