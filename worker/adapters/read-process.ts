import { StringDecoder } from "node:string_decoder";
import type { ChannelBreach } from "../channel/channel-budget.ts";
import { decodeFrames, type FrameFault } from "../channel/decode-frames.ts";
import type { AgentFrame, ExitFrame, Frame } from "../channel/frame-schema.ts";
import { mergeStreams } from "../channel/merge-streams.ts";
import type { AgentProcess, SandboxExit } from "../sandbox/process.ts";

type LastFrame = Extract<AgentFrame, { type: "result" | "error" | "interrupt" }>;
/** `opening`: the adapter's own first frames. */
type Reading = { opening: readonly Frame[]; signal: AbortSignal };

/**
 * Yields the adapter's `opening`, then a process's frames until it is gone; its stdout and stderr become `output` and `log`
 * frames. The first `result`, `error` or `interrupt` is held back until just before `exit`: later frames of the agent,
 * except text, are dropped. When `signal` aborts, the whole process tree is killed; the iteration still ends with `exit`.
 */
export async function* readProcess(child: AgentProcess, { opening, signal }: Reading): AsyncGenerator<Frame> {
  const kill = () => child.kill();
  try {
    signal.addEventListener("abort", kill, { once: true });
    if (signal.aborted) kill();
    yield* opening;
    let last: LastFrame | null = null;
    let breach: string | null = null;
    const onBreach = ({ message }: ChannelBreach): void => {
      breach = message;
      kill();
    };
    const streams = [
      decodeFrames(child.events, { onBreach }),
      readText(child.stdout, toOutput),
      readText(child.stderr, toLog),
    ];
    for await (const item of mergeStreams<AgentFrame | FrameFault>(streams)) {
      const frame = item.type === "fault" ? toFrame(item) : item;
      if (isLast(frame)) last ??= frame;
      else if (last === null || frame.type === "output" || frame.type === "log") yield frame;
    }
    const exit = await child.exited;
    if (last) yield last;
    yield toExitFrame(breach === null ? exit : { ...exit, breach }, last);
  } finally {
    signal.removeEventListener("abort", kill);
    child.kill();
  }
}

async function* readText(
  stream: AsyncIterable<Uint8Array>,
  wrap: (text: string) => AgentFrame,
): AsyncGenerator<AgentFrame> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of stream) {
    const text = decoder.write(chunk);
    if (text) yield wrap(text);
  }
  const rest = decoder.end();
  if (rest) yield wrap(rest);
}

const toOutput = (content: string): AgentFrame => ({ type: "output", content });
const toLog = (text: string): AgentFrame => ({
  type: "log",
  level: "info",
  stream: "stderr",
  message: text.endsWith("\n") ? text.slice(0, -1) : text,
});

/** A malformed result is an error. Any other line that is no frame becomes a warning. */
function toFrame({ reason, frame_type }: FrameFault): AgentFrame {
  if (frame_type === "result") {
    const message = `The result can't be used: ${reason}.`;
    return { type: "error", code: "agent_error", error_type: "InvalidResult", message, traceback: null };
  }
  const message = `The agent wrote a ${frame_type ? `frame '${frame_type}'` : "line"} that can't be used: ${reason}.`;
  return { type: "log", level: "warn", stream: "agent", message };
}

function isLast(frame: AgentFrame): frame is LastFrame {
  return frame.type === "result" || frame.type === "error" || frame.type === "interrupt";
}

function toExitFrame(exit: SandboxExit, last: LastFrame | null): ExitFrame {
  const limit = exit.limit ?? (last?.type === "error" ? limitBehind(last) : null);
  return { type: "exit", ...exit, limit };
}

/** An rlimit or a full tmpfs reaches code as an exception (EFBIG, ENOSPC). The agent may also raise such an error itself. */
function limitBehind({ error_type, message }: Extract<AgentFrame, { type: "error" }>): ExitFrame["limit"] {
  if (error_type === "MemoryError") return "memory";
  const isFull = error_type === "OSError" ? /^\[Errno (27|28)\]/ : /^(EFBIG|ENOSPC): /;
  return isFull.test(message) ? "disk" : null;
}
