import type { Duplex } from "node:stream";
import type { EgressListener } from "../gateway/egress.ts";
import type { SandboxCommand, SandboxCounts, SandboxExit, SandboxUsage } from "./process.ts";

/** A program of Runfleet's that stays as the sandbox's first process, with a control channel to the worker. */
export type WarmCommand = Omit<SandboxCommand, "resources"> & {
  resources: Omit<SandboxCommand["resources"], "cpu_ms">;
};

export type WarmSandbox = {
  /** fd 5 inside. */
  control: Duplex;
  /**
   * Opens the directory of the first process's descriptors. To be called once, when the first process has started and no code
   * of the author has. Throws when the sandbox is gone.
   */
  holdDescriptors(): void;
  /** Opens a descriptor of the first process again, with the `flags` of open(2): a pipe's other end. Throws when the sandbox is gone. */
  openDescriptor(fd: number, flags: number): number;
  /** What the first process must know about its sandbox. */
  protection: {
    /** True when uid 0 inside is the first process's alone, and uid 1000, another user of the machine, is for the author's code. */
    two_ids: boolean;
    /** A seccomp filter, in hex, that keeps the author's code from the first two processes; null where there is none. */
    filter: string | null;
    has_egress: boolean;
  };
  /** Returns limits to set for the author's code: names of setrlimit(2) with soft and hard values. */
  rlimits(cpu_ms: number): Record<string, [number, number]>;
  usage(): SandboxUsage;
  /** The CPU time of `usage` alone: the memory is another file to read. */
  cpuMs(): number;
  counts(): SandboxCounts;
  /** True when `usage` is the kernel's count for the whole sandbox (a cgroup); false when it is a sum over live processes. */
  isMetered: boolean;
  /** Its access to the network; null for none. */
  listener: EgressListener | null;
  /** Returns the end of the first process's stderr. */
  complaint(): string;
  /** Resolves when all of the sandbox's processes are gone. Never rejects. */
  exited: Promise<SandboxExit>;
  /** SIGKILLs all of the sandbox's processes; idempotent. */
  kill(): void;
};
