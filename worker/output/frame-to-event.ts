import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";

/** Frames that tell how the run ended, and files, which are stored first. */
type Silent = "result" | "error" | "interrupt" | "artifact";

/** The event that an agent's frame becomes by itself; null for those that don't. */
export function frameToEvent(frame: AgentFrame): RunEventBody | null {
  if (isSilent(frame)) return null;
  return frame.type === "output" ? { type: "output.delta", content: frame.content } : frame;
}

function isSilent(frame: AgentFrame): frame is Extract<AgentFrame, { type: Silent }> {
  return frame.type === "result" || frame.type === "error" || frame.type === "interrupt" || frame.type === "artifact";
}
