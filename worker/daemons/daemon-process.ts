import type { Readable } from "node:stream";
import { channelBudget, createChannelMeter } from "../channel/channel-budget.ts";
import { type DaemonFrame, daemonFrame } from "../channel/daemon-frame.ts";
import { decodeLines, type FrameFault } from "../channel/decode-frames.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import { mergeStreams } from "../channel/merge-streams.ts";
import { unusableEnding } from "../channel/unusable-ending.ts";
import type { AgentRequest, RunResources } from "../adapters/adapter.ts";
import { abortReasonOf, stopGraceMs, type StopSignal } from "../lease/abort-reason.ts";
import { cpuLimitOf } from "../warm/launch-profile.ts";
import type { SandboxExit, SandboxProcess, SandboxUsage } from "../sandbox/process.ts";
import { createBoundedChannel, type BoundedChannel } from "./bounded-channel.ts";

/** What happens in a daemon's process beside the frames of its messages. */
export type DaemonEvents = {
  onReady(): void;
  /** Called for everything that the process writes. */
  onAlive(): void;
  /** Called for a frame that belongs to no message. */
  onOwn(frame: AgentFrame): void;
  /** Returns the frame that the current message gets for printed text; null when it gets none. */
  onPrint(stream: "stdout" | "stderr", text: string): AgentFrame | null;
};

export type DaemonProcess = {
  pid: number;
  usage(): SandboxUsage;
  /** True when the program has run to its end and never asked for a message. */
  unread(): boolean;
  /** Resolves when the process is gone and all of its output was read. Never rejects. */
  exited: Promise<SandboxExit>;
  /**
   * Sends one message to the process and yields the message's frames, as an `Adapter` does. One message at a time. Aborting
   * `signal` cancels the message; a process that ignores the cancel is killed. Throws `DaemonLost` when the process ends
   * before the message does.
   */
  deliver(request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame>;
  /** Asks the process to end. */
  stop(): void;
  kill(): void;
};

/** A daemon's process ended before its message did. `exit` is null when there was no process to send the message to. */
export class DaemonLost extends Error {
  override name = "DaemonLost";
  readonly exit: SandboxExit | null;
  constructor(exit: SandboxExit | null) {
    const how = exit?.signal ?? `code ${exit?.code ?? "unknown"}`;
    super(
      exit ? `The daemon's process ended during the message: ${how}.` : "No process of the daemon takes messages now.",
    );
    this.exit = exit;
  }
}

const cpuCheckMs = 250;

/** A message that broke a limit need not end the process, which others wait for, when it ends within this time. */
const limitGraceMs = 750;

/** What a daemon prints has no limit. It is read in turns with other work, and what its log has no room for is dropped there. */
const printsBudget = { ...channelBudget, bytes: Infinity };

type Line = DaemonFrame | FrameFault | { type: "print"; stream: "stdout" | "stderr"; text: string };
type MessageFrame = Extract<DaemonFrame, { to: string | null }>;

/** Reads a daemon's process from its start to its end. */
export function openDaemonProcess(child: SandboxProcess, events: DaemonEvents): DaemonProcess {
  let ready = false;
  let unread = false;
  let message: Message | null = null;
  /** True when the process is gone and all of its output was read. */
  let isOver = false;
  /** CPU time that messages were charged with. CPU time between two messages is charged to the later one. */
  let chargedMs = 0;
  const charge = (): number => {
    const usedMs = child.cpuMs();
    const ms = usedMs - chargedMs;
    chargedMs = usedMs;
    return ms;
  };
  let isKilled = false;
  /** The process may have written thousands of lines that each ask for a kill, and a kill isn't free. */
  const killOnce = (): void => {
    if (!isKilled) child.kill();
    isKilled = true;
  };
  const command: Command = (body) => void child.stdin.write(`${JSON.stringify(body)}\n`);

  async function handleLine(line: Line): Promise<void> {
    events.onAlive();
    if (line.type === "print") {
      const frame = events.onPrint(line.stream, line.text);
      if (frame) await message?.frames.put(frame);
    } else if (line.type === "fault") await handleFault(line);
    else if (line.type === "ready") {
      // A second `ready` comes only from the author's code, to keep the worker busy.
      if (ready) return killOnce();
      ready = true;
      events.onReady();
    } else if (line.type === "unread") unread = true;
    else await routeFrame(line);
  }
  /** A message whose last frame can't be used would wait for ever. */
  async function handleFault(fault: FrameFault): Promise<void> {
    const ending = unusableEnding(fault);
    // What the code itself sends, or what is left of another message, ends nothing.
    const isOthers = fault.to !== undefined && fault.to !== message?.run_id;
    if (ending !== null && message !== null && !isOthers) await message.frames.put(ending);
    else events.onOwn(warning(fault));
  }
  async function routeFrame({ to, ...frame }: MessageFrame): Promise<void> {
    if (to === null) events.onOwn(frame);
    // Frames for a message that is over are dropped.
    else if (message?.run_id === to) await message.frames.put(frame);
  }
  async function readToEnd(): Promise<SandboxExit> {
    const prints = [readPrints(child.stdout, "stdout"), readPrints(child.stderr, "stderr")];
    for await (const line of mergeStreams<Line>([
      decodeLines(child.events, daemonFrame, { onBreach: () => child.kill() }),
      ...prints,
    ]))
      await handleLine(line);
    const exit = await child.exited;
    isOver = true;
    message?.frames.end();
    return exit;
  }
  const exited = readToEnd();

  return {
    pid: child.pid,
    usage: () => child.usage(),
    unread: () => unread,
    exited,
    async *deliver(request, signal) {
      const { resources: _r, code: _c, version_env: _v, egress: _e, ...rest } = request;
      const { run_id } = request;
      const frames = createBoundedChannel<AgentFrame>();
      message = { run_id, frames };
      if (isOver) frames.end();
      const undo = onAbort(signal, () => cancel(request, { command, child, signal }));
      const cpu = watchCpu(child, request.resources);
      try {
        yield { type: "started", warm: true };
        child.listener?.beginRun(request.calls?.() ?? null);
        command({ type: "message", ...rest });
        const ended = yield* relayFrames(frames);
        const status = ended ? { code: 0, signal: null } : await exited;
        const exit = { limit: null, max_rss_bytes: null, ...status, cpu_ms: charge() };
        if (cpu.isOver()) exit.limit = "cpu";
        else if (!ended && !signal.aborted) throw new DaemonLost(exit);
        yield { type: "exit", ...exit };
      } finally {
        cpu.stop();
        message = null;
        child.listener?.beginRun(null);
        frames.end();
        undo();
      }
    },
    stop: () => (ready ? command({ type: "stop" }) : child.kill()),
    kill: () => child.kill(),
  };
}

const endings = new Set<AgentFrame["type"]>(["result", "error", "interrupt"]);

type Message = { run_id: string; frames: BoundedChannel<AgentFrame> };
type Command = (body: object) => void;

/** Returns true when the message has ended, false when the process has. */
async function* relayFrames(frames: BoundedChannel<AgentFrame>): AsyncGenerator<AgentFrame, boolean> {
  for (;;) {
    const frame = await frames.take();
    if (!frame) return false;
    yield frame;
    if (endings.has(frame.type)) return true;
  }
}

function onAbort(signal: AbortSignal, act: () => () => void): () => void {
  let undo = (): void => {};
  const listener = (): void => {
    undo = act();
  };
  signal.addEventListener("abort", listener, { once: true });
  if (signal.aborted) listener();
  return () => {
    signal.removeEventListener("abort", listener);
    undo();
  };
}

function cancel(
  { run_id, stop_grace_ms }: AgentRequest,
  { command, child, signal }: { command: Command; child: SandboxProcess; signal: StopSignal },
): () => void {
  const kill = (): void => child.kill();
  command({ type: "cancel", run_id });
  const wasFenced = abortReasonOf(signal) === "fenced";
  const ignored = setTimeout(kill, stopGraceMs(signal, stop_grace_ms) || limitGraceMs);
  // A message that was asked to end, and then is another worker's, has had its time.
  if (!wasFenced) signal.fenced?.addEventListener("abort", kill, { once: true });
  return () => {
    clearTimeout(ignored);
    signal.fenced?.removeEventListener("abort", kill);
  };
}

/** Ends a process that used more CPU time for one message than a run of its agent may use. */
function watchCpu(child: SandboxProcess, resources: RunResources): { isOver(): boolean; stop(): void } {
  const limit = cpuLimitOf(resources);
  let over = false;
  if (limit === null) return { isOver: () => over, stop: () => {} };
  const before = child.cpuMs();
  const check = setInterval(() => {
    over ||= child.cpuMs() - before > limit;
    if (over) child.kill();
  }, cpuCheckMs).unref();
  return { isOver: () => over, stop: () => clearInterval(check) };
}

async function* readPrints(source: Readable, stream: "stdout" | "stderr"): AsyncGenerator<Line> {
  source.setEncoding("utf8");
  const meter = createChannelMeter(printsBudget);
  for await (const text of source as AsyncIterable<string>) {
    meter.add({ bytes: text.length });
    yield { type: "print", stream, text };
    await meter.pause();
  }
}

const warning = ({ reason }: FrameFault): AgentFrame => ({
  type: "log",
  level: "warn",
  stream: "agent",
  message: `The daemon wrote a line that can't be used: ${reason}.`,
});
