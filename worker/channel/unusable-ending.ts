import type { FrameFault } from "./decode-frames.ts";
import type { AgentFrame } from "./frame-schema.ts";

const named: Readonly<Record<string, { what: string; error_type: string }>> = {
  result: { what: "result", error_type: "InvalidResult" },
  interrupt: { what: "question", error_type: "InvalidQuestion" },
  error: { what: "error", error_type: "InvalidError" },
};

/** Returns the error of a run whose last frame can't be used; null for any other frame. */
export function unusableEnding({ reason, frame_type }: FrameFault): AgentFrame | null {
  const ending = frame_type !== null && Object.hasOwn(named, frame_type) ? named[frame_type] : undefined;
  if (ending === undefined) return null;
  const { what, error_type } = ending;
  const message = `The ${what} can't be used: ${reason}.`;
  return { type: "error", code: "agent_error", error_type, message, traceback: null };
}
