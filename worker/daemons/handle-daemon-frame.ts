import { saveDaemonState } from "../../shared/store/daemons/save-daemon-state.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";
import type { DaemonLife } from "./daemon-life.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** Handles a frame that belongs to no message: a state is saved, text goes to the daemon's log. */
export function handleDaemonFrame(life: DaemonLife, frame: AgentFrame): void {
  const { log } = life;
  if (frame.type === "state") saveState(life, frame.state_snapshot);
  else if (frame.type === "log") log.add("agent", frame.message, frame.level);
  else if (frame.type === "output") log.add("agent", asText(frame.content));
  else if (frame.type === "progress" && frame.message !== null) log.add("agent", frame.message);
  else if (frame.type === "custom") log.add("agent", `${frame.name}: ${asText(frame.value)}`);
}

/** Saves a daemon's state; the daemon doesn't wait for that. Its next process starts with the last state that was saved. */
export function saveState({ ctx, claimed }: DaemonLife, state: string): void {
  saveDaemonState(ctx.db, claimed, state).catch((error: unknown) =>
    ctx.log.warn({ agent_id: claimed.agent_id, err: errorText(error) }, "a daemon's state could not be saved"),
  );
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
