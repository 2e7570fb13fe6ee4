import type { z } from "zod";
import { requestLimits } from "../../shared/run/limits.ts";
import { type AgentFrame, agentFrame } from "./frame-schema.ts";

/** A line that is no frame. `frame_type` is what it said it was, if it said. */
export type FrameFault = { type: "fault"; reason: string; frame_type: string | null };

/** The longest line that is read as one frame, in bytes; longer ones are skipped to their end. */
export const maxLineBytes = 12 * 1024 * 1024;
/** The frame's own object lies around the content. */
const maxDepth = requestLimits.json_depth + 1;
const newline = 0x0a;

/** An agent's event channel as frames; see `decodeLines`. */
export function decodeFrames(channel: AsyncIterable<Uint8Array>): AsyncGenerator<AgentFrame | FrameFault> {
  return decodeLines(channel, agentFrame);
}

/**
 * A channel of newline-delimited JSON (UTF-8) as frames of a schema. Nothing that an agent writes makes it throw: what is no
 * frame comes as a fault in its place. Bytes after the last newline are a torn line, and a fault.
 */
export async function* decodeLines<T>(
  channel: AsyncIterable<Uint8Array>,
  schema: z.ZodType<T>,
): AsyncGenerator<T | FrameFault> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (): T | FrameFault | null => {
    const tooLong = length > maxLineBytes;
    const frame = tooLong ? fault(`longer than ${maxLineBytes} bytes`) : decodeLine(Buffer.concat(parts), schema);
    parts = [];
    length = 0;
    return frame;
  };
  for await (const chunk of channel) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      length += end - start;
      start = end + 1;
      const frame = take();
      if (frame) yield frame;
    }
    length += chunk.length - start;
    if (length > maxLineBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (length > 0) yield fault("torn: the channel closed within it");
}

/** Null for an empty line. */
function decodeLine<T>(line: Buffer, schema: z.ZodType<T>): T | FrameFault | null {
  if (line.length === 0) return null;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (error) {
    return fault(error instanceof SyntaxError ? "not JSON" : "not UTF-8");
  }
  const type = typeof value === "object" && value !== null && "type" in value ? String(value.type).slice(0, 64) : null;
  if (isDeeper(value, maxDepth)) return fault(`nested deeper than ${requestLimits.json_depth} levels`, type);
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : fault("not like any frame", type);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}

function fault(reason: string, frame_type: string | null = null): FrameFault {
  return { type: "fault", reason, frame_type };
}
