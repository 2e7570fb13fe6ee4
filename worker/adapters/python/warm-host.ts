import { closeSync, constants as fsConstants, writeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { type ByteQueue, createByteQueue } from "../../channel/byte-queue.ts";
import type { AgentProcess, SandboxExit } from "../../sandbox/process.ts";
import { SandboxUnavailable } from "../../sandbox/sandbox.ts";
import type { WarmSandbox } from "../../sandbox/warm-sandbox.ts";
import type { AgentRequest } from "../adapter.ts";
import { type AgentCode, type Interpreter, type Loaded, loaded } from "../../warm/interpreter.ts";
import { type ControlFrame, createFrameReader, encodeControlFrame } from "./control-frames.ts";
import { runtimeHead, type Site } from "./python-command.ts";
import { errorText } from "../../../shared/platform/error-text.ts";

type Equipment = { runtime: Buffer; site: Site };

/**
 * What pid 1 does now. It decides which frames may come next; any other frame ends the sandbox.
 * - `ready`: a process waits for its request. - `cleaning`: pid 1 removes what a run left behind.
 */
type State = "starting" | "started" | "loading" | "forking" | "ready" | "running" | "cleaning" | "gone";
const mayCome: Record<State, string> = {
  starting: "S",
  started: "",
  loading: "L",
  forking: "P",
  ready: "",
  running: "DE",
  cleaning: "C",
  gone: "",
};
/** How long each answer may take. Loading is bounded by the time of the run that waits for it, a run by its own time. */
const answerMs: Partial<Record<State, number>> = { starting: 30_000, forking: 10_000, cleaning: 10_000 };
/** After a run's end every process that could write to its pipe is dead. A pipe that is still open then is an attack. */
const drainMs = 1_000;
const cpuCheckMs = 250;
/** How many bytes of one sandbox are read before other work gets the event loop. */
const turnBytes = 256 * 1024;

type Run = {
  /** Where the process reads its request, and then the worker's answers. */
  answers: AnswerPipe;
  stdout: ByteQueue;
  stderr: ByteQueue;
  events: Socket;
  end(exit: SandboxExit): void;
  isOverCpu: boolean;
  /** True once the run was asked to end. */
  isAsked: boolean;
};

/**
 * A warm Python interpreter. Pid 1 of the sandbox is `pid_1.py`, whose frames a strict state machine reads here. The
 * process that waits for a run's request has pipes of its own; this worker opens their other ends through pid 1's /proc.
 */
export function startWarmHost(sandbox: WarmSandbox, { runtime, site }: Equipment): Interpreter {
  const { control } = sandbox;
  let state: State = "starting";
  let breach: string | null = null;
  let run: Run | null = null;
  /** How many runs were begun: the last one's number. */
  let runs = 0;
  /** The pipes of the process that waits for a request. */
  let pipes: { request: number; events: Socket } | null = null;
  let answer: ((body: Buffer) => void) | null = null;
  let deadline: NodeJS.Timeout | undefined;
  /** Settles when the network connections of the last run are closed. */
  let connections: Promise<void> = Promise.resolve();
  /** Called when a process waits for its request, or none ever will. */
  let wake: (() => void) | null = null;
  /** CPU time that was billed already. */
  let billedMs = 0;
  /** What the sandbox had met when the last run ended. */
  let before = sandbox.counts();

  function enter(next: State): void {
    state = next;
    clearTimeout(deadline);
    const ms = answerMs[next];
    if (ms !== undefined) deadline = setTimeout(() => expire(next), ms).unref();
  }
  /** After a pause of the whole worker, timers fire before frames that came meanwhile are read: those get 50 ms more. */
  function expire(late: State): void {
    deadline = setTimeout(() => state === late && fail(`no answer while ${late}`), 50).unref();
  }
  function fail(reason: string): void {
    breach ??= reason;
    kill();
  }
  function kill(): void {
    leave();
    sandbox.kill();
  }
  function leave(): void {
    if (state === "gone") return;
    enter("gone");
    control.pause();
    if (pipes) {
      closeSync(pipes.request);
      pipes.events.destroy();
      pipes = null;
    }
    wake?.();
  }

  const read = createFrameReader({ accept: (type) => mayCome[state].includes(type), take });
  let turn = 0;
  /** What the current chunk holds of the run's stdout and stderr. */
  const printed: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  /** True when the run's output waits for its reader. */
  let isFull = false;
  const resume = (): void => {
    if (state !== "gone" && !isFull) control.resume();
  };
  control.on("data", (chunk: Buffer) => {
    if (state === "gone") return;
    const fault = read(chunk);
    if (fault !== null) return fail(fault);
    flushPrinted();
    turn += chunk.length;
    if (turn < turnBytes) return;
    turn = 0;
    control.pause();
    setImmediate(resume);
  });

  function take({ type, stream, body }: ControlFrame): void {
    if (type === "D") return void printed[stream === 1 ? "stdout" : "stderr"].push(body);
    if (type === "P") return takePipes(body);
    if (type === "E") {
      flushPrinted();
      return endRun(body);
    }
    if (type === "C") return enter("forking");
    if (type === "S") return start(body);
    enter("forking");
    answer?.(body);
  }

  function start(body: Buffer): void {
    try {
      sandbox.holdDescriptors();
    } catch (error) {
      return fail(`its descriptors can't be held: ${errorText(error)}`);
    }
    enter("started");
    answer?.(body);
  }

  /** Passes on what one chunk held as one part, so that a program that prints single bytes makes no event of each byte. */
  function flushPrinted(): void {
    for (const name of ["stdout", "stderr"] as const) {
      const parts = printed[name].splice(0);
      if (parts.length === 0) continue;
      isFull = run?.[name].push(Buffer.concat(parts)) === false || isFull;
      if (isFull) control.pause();
    }
  }

  function takePipes(body: Buffer): void {
    try {
      const request = sandbox.openDescriptor(body.readUInt32BE(0), fsConstants.O_WRONLY | fsConstants.O_NONBLOCK);
      const fd = sandbox.openDescriptor(body.readUInt32BE(4), fsConstants.O_RDONLY | fsConstants.O_NONBLOCK);
      const events = new Socket({ fd, readable: true, writable: false });
      events.on("error", () => {});
      pipes = { request, events };
    } catch (error) {
      return fail(`its pipes can't be opened: ${errorText(error)}`);
    }
    enter("ready");
    wake?.();
  }

  function endRun(body: Buffer): void {
    const code = body.readInt32BE(0);
    const ownMs = Number(body.readBigUInt64BE(4)) / 1_000;
    const isClean = body[20] === 1;
    const usedMs = sandbox.cpuMs();
    const cpu_ms = sandbox.isMetered ? usedMs - billedMs : Math.round(ownMs);
    billedMs = usedMs;
    const ended = run;
    run = null;
    enter(isClean ? "forking" : "cleaning");
    connections = closeConnections().catch(() => fail("its connections can't be closed"));
    // The run's last output waits in its own streams. Their reader need not ask for more.
    isFull = false;
    resume();
    if (!ended) return;
    const signal = Object.entries(constants.signals).find(([, number]) => number === -code)?.[0] ?? null;
    const isOverCpu = ended.isOverCpu || signal === "SIGXCPU";
    const limit = isOverCpu ? "cpu" : limitReached(code);
    const max_rss_bytes = Number(body.readBigUInt64BE(12));
    ended.end({ code: code < 0 ? null : code, signal, limit, cpu_ms, max_rss_bytes });
    // Kills and refused forks are counted since the sandbox's start: they would say nothing about the next run.
    if (limit !== null) kill();
    drain(ended.events);
  }

  const closeConnections = async (): Promise<void> => sandbox.listener?.endRun();

  function drain(events: Socket): void {
    setTimeout(() => {
      if (events.readableEnded || events.destroyed) return;
      if (events.readableLength > 0) return drain(events);
      events.destroy();
      fail("a run's pipe was held open after its end");
    }, drainMs).unref();
  }

  /** Returns the limit that a run reached which ends with this code. To be called once for each run. */
  function limitReached(code: number | null): SandboxExit["limit"] {
    const [earlier, now] = [before, sandbox.counts()];
    before = now;
    if (code === 0) return null;
    if (now.memory_kills > earlier.memory_kills) return "memory";
    return now.refused_forks > earlier.refused_forks ? "processes" : null;
  }

  const exited = sandbox.exited.then((exit) => {
    leave();
    answer?.(Buffer.alloc(0));
    breach ??= findBreach(sandbox.complaint());
    const usedMs = sandbox.cpuMs();
    const limit = run?.isOverCpu ? "cpu" : limitReached(null);
    const ended = { ...exit, limit, cpu_ms: usedMs - billedMs, ...(breach === null ? {} : { breach }) };
    if (run) billedMs = usedMs;
    run?.end(ended);
    run?.events.destroy();
    run = null;
    return ended;
  });

  /** Sends a command and returns its answer, which ends the state. Rejects when the sandbox ends before. */
  async function ask(type: string, body: Buffer, next: State): Promise<Buffer> {
    if (state === "gone") throw new Error("The interpreter is gone.");
    const answered = new Promise<Buffer>((resolve) => (answer = resolve));
    enter(next);
    control.write(encodeControlFrame(type, body));
    const said = await answered;
    answer = null;
    if (isGone()) throw new Error(`The interpreter is gone: ${breach ?? sandbox.complaint()}.`);
    return said;
  }
  const isGone = (): boolean => state === "gone";

  control.write(runtimeHead(runtime));
  control.write(runtime);
  const started = ask("T", Buffer.from(JSON.stringify({ ...sandbox.protection, ...site })), "starting");
  started.catch(() => undefined);

  return {
    async load(code) {
      await started;
      before = sandbox.counts();
      billedMs = sandbox.cpuMs();
      const answered = parseLoaded(await ask("L", encodeLoad(code, sandbox), "loading"), fail);
      if (answered.fault === null && !(await settled()))
        throw new Error("The interpreter ended after loading the code.");
      return answered;
    },
    run(request) {
      const begun = begin(request);
      run = begun.run;
      return begun.process;
    },
    settled,
    usage: () => sandbox.usage(),
    unbilledMs: () => sandbox.cpuMs() - billedMs,
    isGone,
    exited,
    kill,
  };

  async function settled(): Promise<boolean> {
    if (state !== "ready" && !isGone()) await new Promise<void>((resolve) => (wake = resolve));
    wake = null;
    await connections;
    return state === "ready";
  }

  function begin(request: AgentRequest): { run: Run; process: AgentProcess } {
    if (state !== "ready" || !pipes) throw new SandboxUnavailable("the warm interpreter ended before its run");
    const {
      resources,
      code: _code,
      version_env: _env,
      requirements: _required,
      lock: _lock,
      egress: _egress,
      ...rest
    } = request;
    sandbox.listener?.beginRun(request.calls?.() ?? null);
    const given = pipes;
    pipes = null;
    runs += 1;
    enter("running");
    const readMore = (): void => {
      isFull = false;
      resume();
    };
    const [stdout, stderr] = [createByteQueue(readMore), createByteQueue(readMore)];
    let settle = (_exit: SandboxExit): void => {};
    const ended = new Promise<SandboxExit>((resolve) => (settle = resolve));
    let over = false;
    const answers = openAnswerPipe(given.request, Buffer.from(JSON.stringify(rest)));
    const begun: Run = {
      answers,
      stdout,
      stderr,
      events: given.events,
      isOverCpu: false,
      isAsked: false,
      end(exit) {
        over = true;
        clearInterval(watch);
        answers.close();
        stdout.end();
        stderr.end();
        settle(exit);
      },
    };
    const watch = setInterval(() => {
      begun.isOverCpu ||= sandbox.cpuMs() - billedMs > resources.cpu_ms;
      if (begun.isOverCpu) kill();
    }, cpuCheckMs).unref();
    const terminate = (): void => {
      if (over || begun.isAsked || state !== "running") return;
      begun.isAsked = true;
      // Pid 1 may read it after the run's end, when the next process waits: it is for the run of this number only.
      const number = Buffer.alloc(4);
      number.writeUInt32BE(runs);
      control.write(encodeControlFrame("K", number));
    };
    const killRun = (): void => {
      if (!over) kill();
    };
    const process = { stdout, stderr, events: given.events, exited: ended, terminate, kill: killRun };
    return { run: begun, process: { ...process, reply: (line) => answers.write(Buffer.from(`${line}\n`)) } };
  }
}

/** Returns why pid 1 ended the sandbox, as pid_1.py writes it; null when it ended for another reason. */
const findBreach = (complaint: string): string | null => /^(?:Violation|NotClean): (.*)$/m.exec(complaint)?.[1] ?? null;

/** The file names are for pid 1, which removes the agent's files after each run; the rest is for the process that loads the code. */
function encodeLoad(code: AgentCode, sandbox: WarmSandbox): Buffer {
  const names = Buffer.from(Object.keys(code.code).join("\0"));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(names.length);
  const { cpu_ms, ...rest } = code;
  return Buffer.concat([length, names, Buffer.from(JSON.stringify({ ...rest, rlimits: sandbox.rlimits(cpu_ms) }))]);
}

function parseLoaded(body: Buffer, fail: (reason: string) => void): Loaded {
  try {
    return loaded.parse(JSON.parse(body.toString("utf8")));
  } catch (error) {
    fail("its answer to `load` can't be read");
    throw error;
  }
}

type AnswerPipe = { write(bytes: Buffer): void; close(): void };

/**
 * Writes a run's request: eight bytes of length and then the JSON. The pipe stays open for the answers to its steps, which
 * most runs don't have: only what the pipe doesn't take at once needs a socket.
 */
function openAnswerPipe(fd: number, request: Buffer): AnswerPipe {
  let socket: Socket | null = null;
  let isOpen = true;
  const write = (bytes: Buffer): void => {
    if (!isOpen) return;
    let written = 0;
    try {
      if (!socket) written = writeSync(fd, bytes);
    } catch {
      // EAGAIN: the pipe is full. EPIPE: the process has ended, and pid 1 reports that.
    }
    if (written === bytes.length) return;
    socket ??= new Socket({ fd, readable: false, writable: true }).on("error", () => {});
    socket.write(bytes.subarray(written));
  };
  const head = Buffer.alloc(8);
  head.writeBigUInt64BE(BigInt(request.length));
  write(Buffer.concat([head, request]));
  return {
    write,
    close() {
      if (!isOpen) return;
      isOpen = false;
      if (socket) socket.destroy();
      else closeSync(fd);
    },
  };
}
