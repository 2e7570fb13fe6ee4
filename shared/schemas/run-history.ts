import { z } from "zod";
import { runStatuses } from "../domain/run/run-status.ts";

export const runTransition = z
  .object({
    attempt: z.number().int(),
    from: z.enum(runStatuses).nullable(),
    to: z.enum(runStatuses),
    actor: z.string().meta({ description: "client, worker or reconciler. For the first change: the run's origin." }),
    actor_id: z.string().nullable().meta({
      description: "Who asked for the change: a key's id, `open` or `bootstrap`. Null: the service itself.",
    }),
    reason: z.string().nullable(),
    at: z.string(),
  })
  .meta({
    id: "RunTransition",
    example: {
      attempt: 1,
      from: "queued",
      to: "running",
      actor: "worker",
      actor_id: null,
      reason: null,
      at: "2026-11-21T10:00:00.000Z",
    },
  });
export type RunTransition = z.infer<typeof runTransition>;

export const runLog = z
  .object({ id: z.string(), ts: z.string(), level: z.string(), stream: z.string(), message: z.string() })
  .meta({
    id: "RunLog",
    example: { id: "1-2", ts: "2026-11-21T10:00:00.000Z", level: "info", stream: "stderr", message: "one name given" },
  });
export type RunLog = z.infer<typeof runLog>;
