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
  /** How many pipes it gets beyond stdin, stdout, stderr and the events channel; they are fds 4, 5, … inside. */
  extraPipes: number;
  /** Descriptors that must not reach it. */
  strayFds: readonly number[];
  /** Gets the listening socket that it hands over by Node's own protocol, on the descriptor after the pipes. */
  onListener?: (socket: ListeningSocket) => void;
};

export type Launched = {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  events: Duplex;
  extra: Duplex[];
  /** When the started process itself is gone, whatever holds its pipes. Never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>;
};

const lingerMs = 100;

/**
 * Starts a process in its own session and process group, with pipes only. Where `uid` is given it runs as that uid and gid,
 * without supplementary groups. Rejects with `SandboxUnavailable`.
 */
export async function launchProcess(options: LaunchOptions): Promise<Launched> {
  const { file, args, env, uid, strayFds, onListener } = options;
  const pipes = 4 + options.extraPipes;
  const identity = uid === null ? {} : { uid, gid: uid };
  const devNull = strayFds.length > 0 ? openSync("/dev/null", "r+") : null;
  try {
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

/** One socket, and the channel is closed before anything of the agent's runs. */
function takeListener(child: ChildProcess, handle: unknown, onListener: (socket: ListeningSocket) => void): void {
  child.disconnect();
  if (isSocket(handle)) onListener(handle);
}

/** A native handle (net.Native): nothing is accepted from it here. */
function isSocket(handle: unknown): handle is ListeningSocket {
  return typeof handle === "object" && handle !== null && "close" in handle && typeof handle.close === "function";
}

/** Pipes first; /dev/null in the place of strays; "ignore" leaves the rest (our own, close-on-exec) as it is. */
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
  // A process that ends without reading breaks its pipes; its exit says all there is to say.
  for (const stream of [stdin, events, ...extra]) stream.on("error", () => {});
  void exited.then(() => endHeldPipes([stdout, stderr, events]));
  return { pid, stdin, stdout, stderr, events, extra, exited };
}

/**
 * Ends pipes that something outlived the process with. What was written to them is read first: a pipe counts as idle when
 * its buffer stood empty at two checks in a row, since one check may come before the event loop got to read.
 */
async function endHeldPipes(streams: Readable[]): Promise<void> {
  const idle = new Set<Readable>();
  const open = () => streams.filter((stream) => !stream.readableEnded && !stream.destroyed);
  while (open().length > 0) {
    await new Promise((resolve) => setTimeout(resolve, lingerMs / 2).unref());
    for (const stream of open()) {
      if (stream.readableLength > 0) idle.delete(stream);
      else if (idle.has(stream)) stream.destroy();
      else idle.add(stream);
    }
  }
}
