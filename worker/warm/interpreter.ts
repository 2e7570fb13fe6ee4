import { z } from "zod";
import type { AgentProcess, SandboxUsage } from "../sandbox/process.ts";
import type { AgentRequest } from "../adapters/adapter.ts";

export type AgentCode = {
  entrypoint: string | null;
  code: Record<string, string>;
  /** Variables that the code may see while it is loaded. */
  env: Record<string, string>;
  /** False leaves the loading to each run. */
  preload: boolean;
  /** The limit of the processor time of each process of a run. */
  cpu_ms: number;
};

/** What an interpreter says of the loading. */
export const loaded = z.object({
  preloaded: z.boolean(),
  /** Why the code can't be loaded ahead of its runs; with one, this interpreter is of no more use. */
  fault: z.string().nullable(),
  /** Names of variables that the code read or set while it was loaded; `*` for all of them. */
  env_read: z.array(z.string()),
});
export type Loaded = z.infer<typeof loaded>;

/** A started language in a sandbox of its own, which is given an agent's code ahead of its runs. */
export type Interpreter = {
  /** Once, before the first run. Rejects when the interpreter ends. */
  load: (code: AgentCode) => Promise<Loaded>;
  /** One at a time. */
  run: (request: AgentRequest) => AgentProcess;
  /** After a run: true when nothing of it is left and the next one may come, false when the interpreter is gone. Null for one that has one run only. */
  settled: (() => Promise<boolean>) | null;
  usage(): SandboxUsage;
  /** Processor time since the code was given that no run was charged with. */
  unbilledMs(): number;
  /** Whether it was killed or has ended. */
  isGone(): boolean;
  /** When its sandbox is gone. */
  exited: Promise<unknown>;
  kill: () => void;
};
