import { z } from "zod";
import { journalLimits } from "../../shared/domain/run/journal-limits.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { usage } from "../../shared/schemas/run-event.ts";
import { callError, callFields, closes } from "./call-fields.ts";
import { checkpointFrame } from "./checkpoint-frame.ts";
import { continueFrame } from "./continue-frame.ts";
import { waitFrames } from "./wait-frame.ts";

const tryNumber = z.number().int().min(1).max(1_000_000);
const ms = z
  .number()
  .min(0)
  .max(24 * 3_600_000);

/** What an agent reports. The worker measures CPU time and memory itself and counts tools, and the gateway meters calls. */
export const reportedUsage = usage.omit({
  cpu_ms: true,
  max_rss_bytes: true,
  tool_calls: true,
  metered: true,
  reported: true,
});
const { key, name } = callFields;

const stepEnding = z.object({
  ...callFields,
  /** `question`: the agent asks a person. `abandoned`: its code gave the step up. `url`: the worker's own, an address. */
  kind: z.enum(["step", "question", "abandoned", "url"]),
  try: tryNumber,
  args: z.string().max(64).nullable(),
  closes,
  ok: z.boolean(),
  /** JSON, which nobody but the runtimes reads. */
  result: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= journalLimits.entry_bytes)
    .optional(),
  error: callError.optional(),
  /** The files that the step names, compressed: nobody but the runtimes reads them. */
  files: z.string().max(journalLimits.files_bytes).optional(),
  /** What the step's tries have saved and used; left out of a try that another one follows. */
  state: z.string().max(requestLimits.state_bytes).optional(),
  usage: reportedUsage.optional(),
  /** Of a failed try that another one follows. */
  retry_in_ms: ms.optional(),
});

/**
 * The frames of an agent's durable calls. The worker answers a `step.end` when its entry is committed, and sends the entry that a
 * wait ends as.
 */
export const stepFrames = [
  z.object({
    type: z.literal("step.start"),
    key,
    name,
    try: tryNumber,
    closes,
    /** Of a call that can't be interrupted: when its try has failed, and what is kept then. */
    timeout_ms: ms.optional(),
    on_timeout: stepEnding.optional(),
  }),
  stepEnding.extend({
    type: z.literal("step.end"),
    /** The try ran over its time, and its function can't be stopped: the process is killed once this is kept. */
    goes_on: z.literal(true).optional(),
  }),
  z.object({ type: z.literal("segment.end"), closes }),
  /** The code comes to a step that the run that is run again has done. */
  z.object({ type: z.literal("step.copied"), key, closes }),
  /** The code does something else than the run that is run again: it goes on without these entries of that one. */
  z.object({
    type: z.literal("replay.diverged"),
    key,
    name,
    before: name,
    drops: z.array(key).max(journalLimits.entries),
  }),
  checkpointFrame,
  continueFrame,
  ...waitFrames,
] as const;
export type StepFrame = z.infer<(typeof stepFrames)[number]>;
export type StepEnd = Extract<StepFrame, { type: "step.end" }>;

export const isStepFrame = <F extends { type: string }>(frame: F): frame is Extract<F, StepFrame> =>
  isStepType(frame.type);
export const isStepType = (type: string): boolean => stepTypes.has(type);
const stepTypes: ReadonlySet<string> = new Set(stepFrames.map(({ shape }) => shape.type.value));
