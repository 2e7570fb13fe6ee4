import { z } from "zod";
import { type AgentFrame, agentFrame } from "./frame-schema.ts";

/** `to` is the run id of the frame's message; null for a frame of no message. */
export type DaemonFrame = { type: "ready" } | { type: "unread" } | (AgentFrame & { to: string | null });

const to = z.string().nullable();
const ofMessages = agentFrame.options.map((frame) => (frame as z.ZodObject<{ type: z.ZodLiteral }>).extend({ to }));

/**
 * The frames of a daemon's event channel: `ready` when its code is loaded, then an agent's frames. `unread`: the program has run to
 * its end and never asked for a message. A `result`, `error` or `interrupt` ends its message.
 */
export const daemonFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("unread") }),
  ...ofMessages,
]) as unknown as z.ZodType<DaemonFrame>;
