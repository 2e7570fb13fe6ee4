import { z } from "zod";
import { childLimits } from "../../shared/domain/run/child-limits.ts";
import { callFields, closes } from "./call-fields.ts";

/** Starts a run. The worker sends the entry of its end, or of its start if it is `detached`. */
export const childOpen = z.object({
  type: z.literal("child.open"),
  ...callFields,
  closes,
  agent_id: z.string().max(256),
  version: z.string().max(128),
  input: z.record(z.string(), z.unknown()),
  detached: z.boolean(),
  /** So many runs of the calls with the same `group` at once. */
  concurrency: z.object({ group: callFields.key, most: z.number().int().min(1).max(childLimits.children) }).nullable(),
});
export type ChildOpen = z.infer<typeof childOpen>;
