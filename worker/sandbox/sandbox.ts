import type { SandboxReport } from "../../shared/schemas/run-event.ts";
import type { SandboxCommand, SandboxProcess } from "./process.ts";
import type { WarmCommand, WarmSandbox } from "./warm-sandbox.ts";

/** A level of isolation, proven by canaries at boot. */
export interface Sandbox {
  readonly report: SandboxReport;
  /** Whether a command's `egress` can be given; else such a start is refused. */
  readonly hasEgress: boolean;
  /** Starts a fresh sandbox. Rejects with `SandboxUnavailable` when it can't be had. */
  start(command: SandboxCommand): Promise<SandboxProcess>;
  /** Null where a level can't keep one: without a pid namespace a run could outlive its end, or end its host. */
  readonly startWarm: ((command: WarmCommand) => Promise<WarmSandbox>) | null;
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
