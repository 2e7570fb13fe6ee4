import type { Duplex, Readable, Writable } from "node:stream";

/** What to start inside: constants and our own code only; user data goes in by `stdin`. Bytes and milliseconds. */
export type SandboxCommand = {
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  /** Directories that it may read besides the system's and Python's. */
  readOnly: readonly string[];
  /** It reserves far more addresses than it uses, as V8 does: where only rlimits bound memory, they bound its data. */
  reservesAddresses?: true;
  /** What it may reach through the proxy that it finds in its environment; by default there is no network. */
  egress?: readonly string[] | null;
  resources: { memory_bytes: number; processes: number; disk_bytes: number; cpu_ms: number };
};

export type SandboxExit = {
  code: number | null;
  signal: string | null;
  limit: "memory" | "cpu" | "processes" | "disk" | null;
  cpu_ms: number | null;
  max_rss_bytes: number | null;
  /** What the sandbox did against the rules of its channels, and was ended for. */
  breach?: string;
};

/** What all of a sandbox used since its start and holds now; the counts are of out-of-memory kills and refused forks. */
export type SandboxUsage = {
  cpu_ms: number;
  memory_bytes: number;
  max_rss_bytes: number | null;
  memory_kills: number;
  refused_forks: number;
};

/** An agent at work. */
export type AgentProcess = {
  stdout: AsyncIterable<Uint8Array>;
  stderr: AsyncIterable<Uint8Array>;
  /** The agent's event channel; fd 3 inside. */
  events: AsyncIterable<Uint8Array>;
  /** Resolves when the process is gone, whether or not something still holds its pipes. Never rejects. */
  exited: Promise<SandboxExit>;
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
};
