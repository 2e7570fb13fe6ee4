import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import type { ListeningSocket } from "../gateway/egress.ts";
import { SandboxUnavailable } from "./sandbox.ts";

export type LaunchOptions = {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  uid: number | null;
  /** How many pipes the process gets besides stdin, stdout, stderr and the events channel. They are fds 4, 5, … inside. */
  extraPipes: number;
  /** Descriptors of this process that must not be inherited. */
  strayFds: readonly number[];
  /** Called with the listening socket that the process sends, by Node's own protocol, on the descriptor after the pipes. */
  onListener?: (socket: ListeningSocket) => void;
};

export type Launched = {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  events: Duplex;
  extra: Duplex[];
  /** Resolves when the started process itself is gone, even if other processes hold its pipes. Never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>;
};

const lingerMs = 100;
/** After its process's end, a pipe that holds bytes and has no reader is kept for this long. */
const unreadMs = 60_000;

/**
 * Starts a process in its own session and process group, with pipes only. With a `uid` the process runs as that uid and gid,
 * without supplementary groups. Rejects with `SandboxUnavailable`.
 */
export async function launchProcess(options: LaunchOptions): Promise<Launched> {
  const { file, args, env, uid, strayFds, onListener } = options;
  const pipes = 4 + options.extraPipes;
  const identity = uid === null ? {} : { uid, gid: uid };
  let devNull: number | null = null;
  try {
    if (strayFds.length > 0) devNull = openSync("/dev/null", "r+");
    const stdio: StdioOptions = layOutFds(pipes, strayFds, devNull);
    if (onListener) stdio[pipes] = "ipc";
    const child = spawn(file, args, { argv0: "runfleet", env, cwd: "/", detached: true, stdio, ...identity });
    if (onListener) child.once("message", (_message, handle) => takeListener(child, handle, onListener));
    return await collectPipes(child, pipes);
  } catch (error) {
    throw new SandboxUnavailable(`can't start ${file}`, { cause: error });
  } finally {
    if (devNull !== null) closeSync(devNull);
  }
}

/** Takes one socket. The channel is closed before any code of the agent runs. */
function takeListener(child: ChildProcess, handle: unknown, onListener: (socket: ListeningSocket) => void): void {
  child.disconnect();
  if (isSocket(handle)) onListener(handle);
}

/** True for a native handle (net.Native), from which nothing is accepted here. */
function isSocket(handle: unknown): handle is ListeningSocket {
  return typeof handle === "object" && handle !== null && "close" in handle && typeof handle.close === "function";
}

/** Pipes come first, and /dev/null replaces stray descriptors. "ignore" leaves the others, which are close-on-exec, alone. */
function layOutFds(pipes: number, strayFds: readonly number[], devNull: number | null): ("pipe" | "ignore" | number)[] {
  return Array.from({ length: Math.max(pipes - 1, ...strayFds) + 1 }, (_, fd) => {
    if (fd < pipes) return "pipe";
    return devNull !== null && strayFds.includes(fd) ? devNull : "ignore";
  });
}

async function collectPipes(child: ChildProcess, pipes: number): Promise<Launched> {
  const { pid, stdin, stdout, stderr } = child;
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  if (pid === undefined) throw await new Promise((resolve) => child.once("error", resolve));
  const [events, ...extra] = child.stdio.slice(3, pipes) as unknown as [Duplex, ...Duplex[]];
  if (!stdin || !stdout || !stderr) throw new Error("no pipes");
  // A process that ends without reading breaks its pipes. Its exit is reported anyway.
  for (const stream of [stdin, events, ...extra]) stream.on("error", () => {});
  child.once("exit", () => keepUnread([stdout, stderr, events, ...extra]));
  void exited.then(() => endHeldPipes([stdout, stderr, events]));
  return { pid, stdin, stdout, stderr, events, extra, exited };
}

/**
 * When a process ends, Node resumes each of its pipes that nobody reads, which throws away what was said on them. Node does
 * not do so to a pipe that has a listener for `readable`.
 */
function keepUnread(streams: Readable[]): void {
  const reader = () => undefined;
  const unread = streams.filter((stream) => !stream.readableFlowing && stream.listenerCount("readable") === 0);
  for (const stream of unread) stream.on("readable", reader);
  setImmediate(() => unread.forEach((stream) => stream.off("readable", reader)));
}

/**
 * Ends pipes that other processes still hold after the process's end. Written bytes are read first, into the pipes' buffers:
 * a busy worker may not have begun to read. A pipe counts as idle when its buffer was empty at two checks in a row, since one
 * check may come before the event loop got to read.
 */
async function endHeldPipes(streams: Readable[]): Promise<void> {
  const idle = new Set<Readable>();
  const until = performance.now() + unreadMs;
  const isAwaited = (stream: Readable): boolean =>
    performance.now() < until || stream.listenerCount("readable") + stream.listenerCount("data") > 0;
  const open = () => streams.filter((stream) => !stream.readableEnded && !stream.destroyed);
  while (open().length > 0) {
    // Asks for bytes and takes none. A stream that nobody reads, or that is paused, would leave them in the kernel.
    for (const stream of open()) if (stream.readableLength === 0) stream.read(0);
    await new Promise((resolve) => setTimeout(resolve, lingerMs / 2).unref());
    for (const stream of open()) {
      if (stream.readableLength > 0 && isAwaited(stream)) idle.delete(stream);
      else if (idle.has(stream)) endPipe(stream);
      else idle.add(stream);
    }
  }
}

/**
 * Ends a pipe as if its holders had closed it: for whoever reads it to its end that is no error. bubblewrap itself may hold pipes for
 * a while on a busy machine.
 */
function endPipe(stream: Readable): void {
  if (stream.readableLength > 0) return void stream.destroy();
  stream.once("end", () => stream.destroy());
  stream.push(null);
  // Nobody else may be reading.
  stream.read(0);
}
