import { z } from "zod";
import { agentFrame } from "./frame-schema.ts";

/**
 * What a daemon's process says on its event channel: `ready` once its code is loaded, then an agent's frames, each for the
 * message (run id) that it belongs to, or for none: those are the daemon's own. A `result` or `error` ends its message.
 */
export const daemonFrame = z.union([
  z.object({ type: z.literal("ready") }),
  z.intersection(z.object({ to: z.string().nullable() }), agentFrame),
]);
export type DaemonFrame = z.infer<typeof daemonFrame>;
