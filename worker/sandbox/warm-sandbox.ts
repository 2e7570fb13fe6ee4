import type { Duplex } from "node:stream";
import type { SandboxCommand, SandboxExit, SandboxUsage } from "./process.ts";

/** A program of ours that stays in its sandbox as its first process, and has a control channel to the worker. */
export type WarmCommand = Omit<SandboxCommand, "resources"> & {
  resources: Omit<SandboxCommand["resources"], "cpu_ms">;
};

export type WarmSandbox = {
  /** fd 5 inside. */
  control: Duplex;
  /** Once, when the first process has started and nothing of the author's has: gets hold of its descriptors. Throws when it is gone. */
  holdDescriptors(): void;
  /** Opens a descriptor of the first process anew, as open(2) does with `flags`: a pipe's other end. Throws when it is gone. */
  openDescriptor(fd: number, flags: number): number;
  /** What the first process must know of its sandbox. */
  protection: {
    /** Whether 0 inside is the first process's id alone, and 1000 is another user's of the machine, for the author's code. */
    two_ids: boolean;
    /** A seccomp filter, in hex, that keeps the author's code from the first two processes; null where there is none. */
    filter: string | null;
    has_egress: boolean;
  };
  /** Limits that the author's code must be given, as names and soft and hard values of setrlimit(2). */
  rlimits(cpu_ms: number): Record<string, [number, number]>;
  usage(): SandboxUsage;
  /** Whether `usage` is the kernel's account of the whole sandbox (a cgroup), and not a sum over what is alive. */
  isMetered: boolean;
  /**
   * Closes what a run had connected to through the gateway, when no process of it is left. Rejects when that can't be made
   * sure: the sandbox must not be used again then.
   */
  endRunConnections(): Promise<void>;
  /** The last words of the first process. */
  complaint(): string;
  /** When all of its processes are gone. Never rejects. */
  exited: Promise<SandboxExit>;
  /** SIGKILLs all of it; idempotent. */
  kill(): void;
};
