import { z } from "zod";
import { runStatuses } from "../run/run-status.ts";

export const runTransition = z
  .object({
    attempt: z.number().int(),
    from: z.enum(runStatuses).nullable(),
    to: z.enum(runStatuses),
    actor: z.string().meta({ description: "client, worker or reconciler; of the first one the run's origin." }),
    reason: z.string().nullable(),
    at: z.string(),
  })
  .meta({ id: "RunTransition" });
export type RunTransition = z.infer<typeof runTransition>;

export const runLog = z
  .object({ id: z.string(), ts: z.string(), level: z.string(), stream: z.string(), message: z.string() })
  .meta({ id: "RunLog" });
export type RunLog = z.infer<typeof runLog>;
