import { z } from "zod";
import type { AgentProcess, SandboxUsage } from "../sandbox/process.ts";
import type { AgentRequest } from "../adapters/adapter.ts";

export type AgentCode = {
  entrypoint: string | null;
  code: Record<string, string>;
  /** Variables that the code may see while it is loaded. */
  env: Record<string, string>;
  /** False when each run loads the code. */
  preload: boolean;
  /** The limit of CPU time of each process of a run. */
  cpu_ms: number;
};

/** An interpreter's answer to `load`. */
export const loaded = z.object({
  preloaded: z.boolean(),
  /** Why the code can't be loaded ahead of its runs. The interpreter is then of no use. */
  fault: z.string().nullable(),
  /** Names of the variables that the code read or set while it was loaded; `*` for all of them. */
  env_read: z.array(z.string()),
});
export type Loaded = z.infer<typeof loaded>;

/** A started interpreter in a sandbox of its own. It gets an agent's code ahead of the runs. */
export type Interpreter = {
  /** Called once, before the first run. Rejects when the interpreter ends. */
  load: (code: AgentCode) => Promise<Loaded>;
  /** One run at a time. */
  run: (request: AgentRequest) => AgentProcess;
  /**
   * Called after a run. Resolves with true when nothing of the run is left and the next one may come, with false when the
   * interpreter is gone. Null for an interpreter that executes one run only.
   */
  settled: (() => Promise<boolean>) | null;
  usage(): SandboxUsage;
  /** CPU time since `load` that no run was charged with. */
  unbilledMs(): number;
  /** True after the interpreter was killed or has ended. */
  isGone(): boolean;
  /** Resolves when the sandbox is gone. */
  exited: Promise<unknown>;
  kill: () => void;
};
