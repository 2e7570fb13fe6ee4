import type { RunError } from "../../shared/schemas/run-event.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import type { Frame } from "../channel/frame-schema.ts";
import type { DaemonLife, LiveProcess } from "./daemon-life.ts";
import { refusalOf } from "./refuse-messages.ts";
import { DaemonLost } from "./daemon-process.ts";
import { saveState } from "./handle-daemon-frame.ts";

/** True when the daemon takes a message now. A paused daemon's process goes on, but gets no messages. */
export function takesMessages(life: DaemonLife): boolean {
  if (life.wanted?.desired !== "running") return false;
  return refusalOf(life) !== null || messageTaker(life) !== null;
}

/** Returns the process that can be sent a message now. What is sent to one that isn't ready may be lost in its start. */
const messageTaker = ({ live }: DaemonLife): LiveProcess | null =>
  live?.ready === true && live.stoppingSince === null ? live : null;

/**
 * Runs one message in the daemon's process and yields its frames, as an `Adapter` does. Throws `DaemonLost` when the process
 * ends during the message, or no process takes messages now. A message to a program that takes none fails without a process.
 */
export async function* deliverMessage(
  life: DaemonLife,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const refusal = refusalOf(life);
  if (refusal) return yield* refuse(refusal);
  // The process that took messages when this one was looked for may have been replaced since.
  const live = messageTaker(life);
  if (!live) throw new DaemonLost(null);
  Object.assign(live, { busy: true, signal, lastProgressAt: performance.now() });
  try {
    for await (const frame of live.process.deliver(request, signal)) {
      if (frame.type === "started" || frame.type === "exit") yield frame;
      else yield live.redact.frame(frame);
      if (frame.type === "started" && request.version !== live.version) yield otherVersion(request, live.version);
      if (frame.type === "state") saveState(life, frame.state_snapshot);
    }
  } finally {
    Object.assign(live, { busy: false, signal: null });
    if (live.stoppingSince !== null) live.process.stop();
  }
}

async function* refuse({ code, type, message, traceback }: RunError): AsyncGenerator<Frame> {
  yield { type: "started", warm: true };
  const known = code === "bad_entrypoint" ? code : "agent_error";
  yield { type: "error", code: known, error_type: type ?? "Error", message, traceback };
  yield { type: "exit", code: 0, signal: null, limit: null, cpu_ms: 0, max_rss_bytes: null };
}

const otherVersion = ({ version }: AgentRequest, running: string): Frame => ({
  type: "log",
  level: "warn",
  stream: "agent",
  message: `The daemon runs version ${running}; the run asked for ${version}.`,
});
