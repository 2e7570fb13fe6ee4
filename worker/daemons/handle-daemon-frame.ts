import { saveDaemonState } from "../../shared/store/daemons/save-daemon-state.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";
import type { DaemonLife } from "./daemon-life.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** Handles a frame that belongs to no message: a state is saved, text goes to the daemon's log. */
export function handleDaemonFrame(life: DaemonLife, frame: AgentFrame): void {
  const { log } = life;
  if (frame.type === "state") saveState(life, frame.state_snapshot);
  else if (frame.type === "log") log.add("agent", frame.message, frame.level);
  else if (frame.type === "output") log.add("agent", asText(frame.content));
  else if (frame.type === "progress" && frame.message !== null) log.add("agent", frame.message);
  else if (frame.type === "custom") log.add("agent", `${frame.name}: ${asText(frame.value)}`);
  else if (frame.type !== "progress") tellDropped(life, frame.type);
}

/** Says once for each type that such frames belong to a message, and to the thread that handles it. */
function tellDropped({ log, dropped }: DaemonLife, type: string): void {
  if (dropped.has(type)) return;
  dropped.add(type);
  const why = "belongs to no message and is dropped: send it from the thread that handles the message";
  log.add("agent", `A frame '${type}' ${why}.`, "warn");
}

/**
 * Saves a daemon's state; the daemon doesn't wait for that. Its next process starts with the last state that was saved. One is saved at a time,
 * and of those that come meanwhile the last.
 */
export function saveState(life: DaemonLife, state: string): void {
  const { ctx, claimed, log, states } = life;
  if (Buffer.byteLength(state) > requestLimits.state_bytes)
    return log.add("agent", `A state of more than ${requestLimits.state_bytes} bytes isn't saved.`, "warn");
  states.next = state;
  if (states.isSaving) return;
  states.isSaving = true;
  void saveNext().finally(() => (states.isSaving = false));

  async function saveNext(): Promise<void> {
    for (let next = states.next; next !== null; next = states.next) {
      states.next = null;
      await saveDaemonState(ctx.db, claimed, next).catch((error: unknown) =>
        ctx.log.warn({ agent_id: claimed.agent_id, err: errorText(error) }, "a daemon's state could not be saved"),
      );
    }
  }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
