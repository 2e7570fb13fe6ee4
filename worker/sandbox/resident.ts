import type { Duplex } from "node:stream";
import type { SandboxCommand, SandboxProcess } from "./process.ts";

/**
 * A program of ours that stays in its sandbox and plays runs in it. It is pid 1 in there, so that nothing inside can end it
 * and its end takes everything along, and has a channel of its own. It bounds each run's CPU time itself.
 */
export type ResidentCommand = Omit<SandboxCommand, "resources"> & {
  resources: Omit<SandboxCommand["resources"], "cpu_ms">;
};

/** What all of a sandbox used since its start; the counts are of out-of-memory kills and refused forks. */
export type SandboxUsage = { cpu_ms: number; max_rss_bytes: number | null; memoryKills: number; refusedForks: number };

export type ResidentProcess = SandboxProcess & {
  /** fd 5 inside. */
  control: Duplex;
  /** Between two runs: see `EgressListener.endRun`. Resolves at once where there is no network. */
  endRunConnections(): Promise<void>;
  /** Null where the sandbox has no cgroup. */
  readUsage(): SandboxUsage | null;
  /** What each of its runs must limit by itself, as names and soft and hard values of setrlimit(2). */
  rlimits(cpu_ms: number): Record<string, [number, number]>;
};
