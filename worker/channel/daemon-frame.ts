import { z } from "zod";
import { agentFrame } from "./frame-schema.ts";

/**
 * The frames of a daemon's event channel: `ready` when its code is loaded, then an agent's frames. `to` is the run id of the
 * frame's message; null for a frame of no message. `unread`: the program has run to its end and never asked for a message. A `result`, `error` or `interrupt` ends its message.
 */
export const daemonFrame = z.union([
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("unread") }),
  z.intersection(z.object({ to: z.string().nullable() }), agentFrame),
]);
export type DaemonFrame = z.infer<typeof daemonFrame>;
