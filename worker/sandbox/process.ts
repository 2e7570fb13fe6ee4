import type { Duplex, Readable, Writable } from "node:stream";

import type { EgressListener } from "../gateway/egress.ts";

/** What to start in a sandbox: constants and Runfleet's own code only. User data goes to `stdin`. Bytes and milliseconds. */
export type SandboxCommand = {
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  /** Paths that the sandbox may read besides the system's and Python's. */
  readOnly: readonly string[];
  /**
   * Set for a program that reserves far more addresses than it uses, as V8 does: where only rlimits bound memory, RLIMIT_DATA
   * is set instead of RLIMIT_AS. The number is how many bytes of them the kernel counts as data all the same.
   */
  reservedBytes?: number;
  /** The hosts that may be reached through the proxy named in the environment. Null or absent: no network. */
  egress?: readonly string[] | null;
  resources: { memory_bytes: number; processes: number; disk_bytes: number; cpu_ms: number };
};

export type SandboxExit = {
  code: number | null;
  signal: string | null;
  limit: "memory" | "cpu" | "processes" | "disk" | null;
  cpu_ms: number | null;
  max_rss_bytes: number | null;
  /** The rule of its channels that the sandbox broke and was ended for. */
  breach?: string;
};

/** What a whole sandbox has used since its start, and the memory that it holds now. */
export type SandboxUsage = { cpu_ms: number; memory_bytes: number };

/** What a whole sandbox met since its start. `memory_kills` are out-of-memory kills. */
export type SandboxCounts = { memory_kills: number; refused_forks: number };

/** A running agent. */
export type AgentProcess = {
  stdout: AsyncIterable<Uint8Array>;
  stderr: AsyncIterable<Uint8Array>;
  /** The agent's event channel; fd 3 inside. */
  events: AsyncIterable<Uint8Array>;
  /** Resolves when the process is gone, even if other processes hold its pipes. Never rejects. */
  exited: Promise<SandboxExit>;
  /** Writes a line that the process reads while it runs; absent where it reads none. */
  reply?: (line: string) => void;
  /** Sends SIGTERM to the command's own process, which asks it to end. */
  terminate(): void;
  /** SIGKILLs the whole tree; idempotent. */
  kill(): void;
};

export type SandboxProcess = AgentProcess & {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  events: Duplex;
  usage(): SandboxUsage;
  /** The CPU time of `usage` alone: the memory is another file to read. */
  cpuMs(): number;
  /** Its access to the network; null for none. */
  listener: EgressListener | null;
};
