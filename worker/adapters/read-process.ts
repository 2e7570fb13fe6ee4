import { StringDecoder } from "node:string_decoder";
import type { ChannelBreach } from "../channel/channel-budget.ts";
import { decodeFrames, type FrameFault } from "../channel/decode-frames.ts";
import type { AgentFrame, ExitFrame, Frame } from "../channel/frame-schema.ts";
import { mergeStreams } from "../channel/merge-streams.ts";
import type { ContinueFrame } from "../channel/continue-frame.ts";
import { unusableEnding } from "../channel/unusable-ending.ts";
import { isStepType, type StepFrame } from "../channel/step-frame.ts";
import { abortReasonOf, stopGraceMs, type StopSignal } from "../lease/abort-reason.ts";
import type { AgentProcess, SandboxExit } from "../sandbox/process.ts";
import type { Replies } from "./adapter.ts";

type LastFrame = Extract<AgentFrame, { type: "result" | "error" | "interrupt" }> | ContinueFrame;
/** `opening`: the adapter's own first frames. */
type ReadOptions = {
  opening: readonly Frame[];
  signal: AbortSignal;
  replies?: Replies | undefined;
  /** How long the agent may take to end after it was asked to. */
  stop_grace_ms: number;
  /** True where the author writes the frames by hand: then one that can't be used is an error. */
  isByHand?: boolean;
};

/**
 * Yields the adapter's `opening`, then a process's frames until it is gone; its stdout and stderr become `output` and `log`
 * frames. The first `result`, `error`, `interrupt` or `continue` is held back until just before `exit`: later frames of the agent,
 * except text, are dropped. When `signal` aborts, the agent is asked to end, and the whole process tree is killed
 * `stop_grace_ms` later, or at once for a broken limit and for a run that is another worker's; the iteration still ends with `exit`.
 */
export async function* readProcess(
  child: AgentProcess,
  { opening, signal, replies, stop_grace_ms, isByHand = false }: ReadOptions,
): AsyncGenerator<Frame> {
  const kill = () => child.kill();
  connect(child, replies);
  const stopping = stopOnAbort(child, signal, stop_grace_ms);
  try {
    yield* opening;
    let last: LastFrame | null = null;
    let breach: string | null = null;
    const onBreach = ({ message }: Pick<ChannelBreach, "message">): void => {
      breach ??= message;
      kill();
    };
    const streams = [
      decodeFrames(child.events, { onBreach }),
      readText(child.stdout, toOutput),
      readText(child.stderr, toLog),
    ];
    for await (const item of mergeStreams<AgentFrame | StepFrame | FrameFault>(streams)) {
      if (child.reply) refuseStep(item, onBreach);
      const frame = asFrame(item, isByHand);
      // A cancelled run has no result, and a run out of time came too late with it.
      if (isLast(frame)) last ??= isTooLate(frame, signal) ? null : frame;
      else if (last === null || frame.type === "output" || frame.type === "log") yield frame;
    }
    const exit = await child.exited;
    if (last) yield last;
    yield toExitFrame(breach === null ? exit : { ...exit, breach }, last);
  } finally {
    stopping.over();
    child.kill();
  }
}

/** Asks the agent to end when the signal aborts, and kills it when its time for that is over. */
function stopOnAbort(child: AgentProcess, signal: StopSignal, graceMs: number): { over(): void } {
  const kill = (): void => child.kill();
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    const ms = stopGraceMs(signal, graceMs);
    if (ms === 0) return kill();
    late = setTimeout(kill, ms);
    child.terminate();
  };
  signal.addEventListener("abort", stop, { once: true });
  signal.fenced?.addEventListener("abort", kill, { once: true });
  if (signal.aborted) stop();
  return {
    over() {
      clearTimeout(late);
      signal.removeEventListener("abort", stop);
      signal.fenced?.removeEventListener("abort", kill);
    },
  };
}

function connect({ reply }: Pick<AgentProcess, "reply">, replies?: Replies): void {
  if (replies) replies.write = reply ?? null;
}

const isTooLate = ({ type }: LastFrame, signal: AbortSignal): boolean =>
  type === "result" && ["cancelled", "deadline"].includes(abortReasonOf(signal) ?? "");

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

/** The code of a step that can't be read would wait for an answer that never comes. */
function refuseStep(item: AgentFrame | StepFrame | FrameFault, onBreach: (breach: { message: string }) => void): void {
  if (item.type !== "fault" || !isStepType(item.frame_type ?? "")) return;
  onBreach({ message: `a frame '${item.frame_type}' is ${item.reason}` });
}

const asFrame = (item: AgentFrame | StepFrame | FrameFault, isByHand: boolean): AgentFrame | StepFrame =>
  item.type === "fault" ? toFrame(item, isByHand) : item;

/**
 * A malformed last frame is an error, and so is any JSON that is no frame where the author writes frames by hand. Any other
 * line that is no frame becomes a warning.
 */
function toFrame(fault: FrameFault, isByHand: boolean): AgentFrame {
  const ending = unusableEnding(fault);
  if (ending !== null) return ending;
  const { reason, frame_type } = fault;
  if (isByHand && reason !== "not JSON") {
    const what = frame_type === null ? "A line of the output" : `A frame '${frame_type}' of the output`;
    const message = `${what} can't be used: ${reason}.`;
    return { type: "error", code: "agent_error", error_type: "InvalidFrame", message, traceback: null };
  }
  const message = `The agent wrote a ${frame_type ? `frame '${frame_type}'` : "line"} that can't be used: ${reason}.`;
  return { type: "log", level: "warn", stream: "agent", message };
}

function isLast(frame: AgentFrame | StepFrame): frame is LastFrame {
  return ["result", "error", "interrupt", "continue"].includes(frame.type);
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
