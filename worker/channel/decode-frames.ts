import type { z } from "zod";
import { measureJson } from "../../shared/domain/json/measure-json.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { ChannelBreach, type ChannelBudget, channelBudget, createChannelMeter } from "./channel-budget.ts";
import { foreignProcessFrame } from "./foreign-frame.ts";
import { type AgentFrame, agentFrame } from "./frame-schema.ts";
import type { StepFrame } from "./step-frame.ts";
import { type ChannelLine, maxLineBytes, splitLines } from "./split-lines.ts";

/**
 * A line that is no frame. `frame_type` is the line's `type`, if it has one. `to`: the message that it names, null for none; undefined:
 * the line was not parsed.
 */
export type FrameFault = { type: "fault"; reason: string; frame_type: string | null; to?: string | null | undefined };

export type DecodeOptions = {
  budget?: ChannelBudget;
  /** Called when the channel's budget is spent. Nothing more is read, so the process that writes there must be ended. */
  onBreach?: (breach: ChannelBreach) => void;
};

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** The frame is an object around the content, which adds a level. */
const maxDepth = requestLimits.json_depth + 1;
/** As many as a request may have. Items count once, members twice. */
const mostValues = requestLimits.json_values;

/** Decodes an agent's event channel; see `decodeLines`. */
export function decodeFrames(
  channel: AsyncIterable<Uint8Array>,
  options?: DecodeOptions,
): AsyncGenerator<AgentFrame | StepFrame | FrameFault> {
  return decodeLines(channel, foreignProcessFrame, options);
}

/**
 * Decodes a channel of newline-delimited JSON (UTF-8) into frames of a schema. Nothing that an agent writes makes this
 * throw: a line that is no frame is yielded as a fault. Bytes after the last newline are a torn line, which is a fault, too.
 * The last fault comes when the budget is spent.
 */
export async function* decodeLines<T>(
  channel: AsyncIterable<Uint8Array>,
  schema: z.ZodType<T>,
  { budget = channelBudget, onBreach = () => undefined }: DecodeOptions = {},
): AsyncGenerator<T | FrameFault> {
  const meter = createChannelMeter(budget);
  try {
    for await (const line of splitLines(channel, meter)) {
      const startedAt = performance.now();
      const frame = decodeLine(line, schema);
      meter.add({ cpuMs: performance.now() - startedAt, faults: isFault(frame) ? 1 : 0 });
      yield frame;
    }
  } catch (error) {
    if (!(error instanceof ChannelBreach)) throw error;
    yield fault(error.message);
    onBreach(error);
  }
}

function decodeLine<T>({ bytes, torn }: ChannelLine, schema: z.ZodType<T>): T | FrameFault {
  if (torn) return fault("torn: the channel closed within it");
  if (bytes === null) return fault(`longer than ${maxLineBytes} bytes`);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return fault("not UTF-8");
  }
  // Checked before parsing: code that walks through a value recurses as deep as the value, and each value takes time.
  const { depth, values } = measureJson(text, { depth: maxDepth, values: mostValues });
  if (depth > maxDepth) return fault(`nested deeper than ${requestLimits.json_depth} levels`, namedType(text));
  if (values > mostValues) return fault(`more than ${mostValues} values`, namedType(text));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("not JSON");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  return { ...fault(frameFaultOf(parsed.error, value), typeOf(value)), to: receiverOf(value) };
}

/** Returns why a value is no frame: the field that is wrong, and what is wrong with it. */
export function frameFaultOf(error: z.ZodError, value: unknown): string {
  const issue = tellingIssue(error.issues);
  const path = issue?.path.map(String) ?? [];
  if (typeOf(value) === null) return "not like any frame: it has no `type`";
  if (issue === undefined || path.length === 0 || path.join() === "type")
    return `not like any frame: its \`type\` is none of ${frameTypes.join(", ")}`;
  const given = path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return `\`${path.join(".")}\` ${given === undefined ? "is missing" : `is wrong: ${issue.message}`}`;
}

/** Returns the first fault; of a value that fits none of several schemas, that of the one whose `type` it has. */
function tellingIssue([issue]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  if (issue?.code !== "invalid_union") return issue;
  return issue.errors.map(tellingIssue).find((one) => one !== undefined && one.path.join() !== "type") ?? issue;
}

/** True for the `type` of a frame. */
export const isFrameType = (type: unknown): boolean => typeof type === "string" && frameTypes.includes(type);

const frameTypes: string[] = agentFrame.options.map(({ shape }) => [...shape.type.values].join(""));

function typeOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  return typeof value.type === "string" ? value.type.slice(0, 64) : null;
}

function receiverOf(value: unknown): string | null {
  return typeof value === "object" && value !== null && "to" in value && typeof value.to === "string" ? value.to : null;
}

/** Returns the `type` of a text that isn't parsed. The runtimes write it first. */
const namedType = (text: string): string | null => /^\s*\{\s*"type"\s*:\s*"([^"\\]{1,64})"/.exec(text)?.[1] ?? null;

const isFault = (frame: unknown): boolean =>
  typeof frame === "object" && frame !== null && "type" in frame && frame.type === "fault";

function fault(reason: string, frame_type: string | null = null): FrameFault {
  return { type: "fault", reason, frame_type };
}
