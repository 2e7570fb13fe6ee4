import { saveDaemonState } from "../../shared/store/daemons/save-daemon-state.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";
import type { DaemonLife } from "./daemon-life.ts";

/** What a daemon says outside of its messages: its state is kept, all else that tells something goes to its log. */
export function hearOwnFrame(life: DaemonLife, frame: AgentFrame): void {
  const { log } = life;
  if (frame.type === "state") keepState(life, frame.state_snapshot);
  else if (frame.type === "log") log.add("agent", frame.message, frame.level);
  else if (frame.type === "output") log.add("agent", asText(frame.content));
  else if (frame.type === "progress" && frame.message !== null) log.add("agent", frame.message);
  else if (frame.type === "custom") log.add("agent", `${frame.name}: ${asText(frame.value)}`);
}

/** Saved on the way: the daemon doesn't wait for it, and its next process starts with the last one that was kept. */
export function keepState({ ctx, claimed }: DaemonLife, state: string): void {
  saveDaemonState(ctx.db, claimed, state).catch((error: unknown) =>
    ctx.log.warn({ agent_id: claimed.agent_id, err: String(error) }, "a daemon's state could not be saved"),
  );
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
