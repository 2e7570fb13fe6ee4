import { z } from "zod";
import { journalLimits } from "../../shared/domain/run/journal-limits.ts";
import { inputName } from "../../shared/schemas/run-input.ts";
import { callError, callFields, closes } from "./call-fields.ts";
import { childOpen } from "./child-frame.ts";

/** Ten years, in seconds. */
const longestWait = 10 * 365 * 86_400;

/** What a call of the agent's is known by, that is no step. */
const call = { ...callFields, closes };

/** The frames of an agent's waits. The worker sends the entry that a wait ends as. */
export const waitFrames = [
  z.object({
    type: z.literal("wait.open"),
    ...call,
    kind: z.enum(["timer", "signal"]),
    /** Of the signals that end it. */
    names: z.array(inputName).max(16),
    /** When it ends without any: after so many seconds, or at a time, in ms since 1970. */
    seconds: z.number().min(0).max(longestWait).nullable(),
    until: z.number().min(0).max(8.64e15).nullable(),
    /** What a signal's wait ends with when none came in time. */
    error: callError.optional(),
  }),
  childOpen,
  /**
   * Nothing but the service can make the code go on. `seen`: how many answers it has got. `wakes_at`: when the next try of a step
   * begins, in ms since 1970. `conditions`: where the code goes on once at most so many of some waits are open, or one has failed;
   * it goes on with any other wait alone.
   */
  z.object({
    type: z.literal("idle"),
    seen: z.number().int().min(0),
    wakes_at: z.number().min(0).max(8.64e15).nullable(),
    conditions: z
      .array(
        z.object({
          keys: z.array(callFields.key).max(journalLimits.entries),
          most_open: z.number().int().min(0).max(journalLimits.entries),
          or_failed: z.boolean(),
        }),
      )
      .max(1_000)
      .default([]),
  }),
  /** That is over. */
  z.object({ type: z.literal("busy") }),
  z.object({ type: z.literal("wait.abandon"), key: callFields.key }),
  /** Asks for what was said to the run since the code looked last. */
  z.object({ type: z.literal("messages.take"), ...call }),
  /** Asks for an address that ends a wait for a signal. */
  z.object({
    type: z.literal("signal.url"),
    ...call,
    signal: inputName,
    expires_in_s: z.number().min(1).max(longestWait),
  }),
] as const;
export type WaitFrame = z.infer<(typeof waitFrames)[number]>;
export type WaitOpen = Extract<WaitFrame, { type: "wait.open" }>;
export type IdleFrame = Extract<WaitFrame, { type: "idle" }>;
export type MessagesTake = Extract<WaitFrame, { type: "messages.take" }>;
export type UrlAsked = Extract<WaitFrame, { type: "signal.url" }>;
