import type { AgentRequest } from "../adapters/adapter.ts";
import type { SandboxProcess } from "../sandbox/process.ts";

/** What a daemon's process is told at its start. `env` is in clear here and nowhere else. */
export type DaemonStart = Pick<AgentRequest, "agent_id" | "user_id" | "version" | "code" | "env" | "state_snapshot"> & {
  /** Whose memory the process keeps: `daemon` for the agent's, `interactive` for that of one thread. */
  lifecycle: "daemon" | "interactive";
  entrypoint: string | null;
  /** The directory of the packages that the agent requires. */
  packages: string | null;
  egress: string[] | null;
  resources: { memory_bytes: number; processes: number; disk_bytes: number };
};

/** Ten years. A process that never ends can't have a limit of total CPU time, but the sandbox wants a number. */
export const endlessCpuMs = 10 * 365 * 24 * 3_600_000;

/**
 * Starts a long-lived process of one language in a sandbox. The process sends `DaemonFrame`s. After its `ready` frame it is
 * sent JSON lines on stdin: `{"type": "message", …request}`, `{"type": "cancel", "run_id"}` and `{"type": "stop"}`. Rejects
 * with `SandboxUnavailable`.
 */
export type DaemonHost = (start: DaemonStart) => Promise<SandboxProcess>;
