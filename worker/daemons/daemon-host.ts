import type { AgentRequest } from "../adapters/adapter.ts";
import type { SandboxProcess } from "../sandbox/process.ts";

/** All that a daemon's process gets to know at its start; `env` is in clear here and nowhere after. */
export type DaemonStart = Pick<AgentRequest, "agent_id" | "user_id" | "version" | "code" | "env" | "state_snapshot"> & {
  /** Whose memory it is: the agent's, or that of one thread, whose runs are played in it as any run is. */
  lifecycle: "daemon" | "interactive";
  entrypoint: string | null;
  /** The directory of what the agent requires. */
  packages: string | null;
  egress: string[] | null;
  resources: { memory_bytes: number; processes: number; disk_bytes: number };
};

/** Such a process has no end, so its processor time has no sum: as good as unlimited. */
export const endlessCpuMs = 10 * 365 * 24 * 3_600_000;

/**
 * Starts a process that stays, of one language, in a sandbox. It reads JSON lines from stdin, `{"type": "message", …request}`,
 * `{"type": "cancel", "run_id"}` and `{"type": "stop"}`, nothing before it said `ready`; and says `DaemonFrame`s. Rejects
 * with `SandboxUnavailable`.
 */
export type DaemonHost = (start: DaemonStart) => Promise<SandboxProcess>;
