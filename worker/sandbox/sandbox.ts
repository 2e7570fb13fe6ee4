import type { Readable, Writable } from "node:stream";
import type { SandboxReport } from "../../shared/schemas/run-event.ts";

/** What to start inside: constants and our own code only; user data goes in by `stdin`. Bytes and milliseconds. */
export type SandboxCommand = {
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  resources: { memory_bytes: number; processes: number; disk_bytes: number; cpu_ms: number };
};

export type SandboxExit = {
  code: number | null;
  signal: string | null;
  limit: "memory" | "cpu" | "processes" | "disk" | null;
  cpu_ms: number | null;
  max_rss_bytes: number | null;
};

export type SandboxProcess = {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** The agent's event channel; fd 3 inside. */
  events: Readable;
  /** Resolves when the process is gone, whether or not something still holds its pipes. Never rejects. */
  exited: Promise<SandboxExit>;
  /** SIGKILLs the whole tree; idempotent. */
  kill(): void;
};

/** A level of isolation, proven by canaries at boot. */
export interface Sandbox {
  readonly report: SandboxReport;
  /** Starts a fresh sandbox. Rejects with `SandboxUnavailable` when it can't be had. */
  start(command: SandboxCommand): Promise<SandboxProcess>;
  close(): Promise<void>;
}

/** A Python that the sandbox's user can reach. */
export type Python = {
  path: string;
  version: string;
  /** Directories that it needs beyond /usr, to be shown read-only in the sandbox. */
  prefixes: string[];
  /** What `site` adds to sys.path: installed packages. Our runner starts without `site`, for speed. */
  sitePath: string[];
};

/** The machine couldn't give a sandbox: nothing of the agent has run. */
export class SandboxUnavailable extends Error {
  override name = "SandboxUnavailable";
}
