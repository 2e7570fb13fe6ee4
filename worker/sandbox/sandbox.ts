import type { SandboxReport } from "../../shared/schemas/run-event.ts";
import type { SandboxCommand, SandboxProcess } from "./process.ts";
import type { WarmCommand, WarmSandbox } from "./warm-sandbox.ts";

/** A level of isolation, proven by canaries at boot. */
export interface Sandbox {
  readonly report: SandboxReport;
  /** True when a command may have `egress`. Otherwise such a start is refused. */
  readonly hasEgress: boolean;
  /** Starts a fresh sandbox. Rejects with `SandboxUnavailable` when the machine can't give one. */
  start(command: SandboxCommand): Promise<SandboxProcess>;
  /** Null for levels without a pid namespace: there a run's process could outlive the run, or kill the warm interpreter. */
  readonly startWarm: ((command: WarmCommand) => Promise<WarmSandbox>) | null;
  close(): Promise<void>;
}

/** A Python that the sandbox's user can reach. */
export type Python = {
  path: string;
  version: string;
  /** Directories outside of /usr that Python needs. The sandbox shows them read-only. */
  prefixes: string[];
  /** A virtual environment without packages, in which agents run; null where there is no folder for it. */
  venv: string | null;
};

/** The machine couldn't give a sandbox. No code of the agent has run. */
export class SandboxUnavailable extends Error {
  override name = "SandboxUnavailable";
}

/** Returns what a start that failed rejects with, whatever the machine lacked: descriptors, a user, memory. */
export const toUnavailable = (error: unknown): SandboxUnavailable =>
  error instanceof SandboxUnavailable ? error : new SandboxUnavailable("can't be started", { cause: error });
