import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";

/** The event that an agent's frame becomes; null for those that only tell how the run ended. */
export function frameToEvent(frame: AgentFrame): RunEventBody | null {
  if (frame.type === "result" || frame.type === "error") return null;
  return frame.type === "output" ? { type: "output.delta", content: frame.content } : frame;
}
