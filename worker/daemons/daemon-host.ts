import type { AgentRequest } from "../adapters/adapter.ts";
import type { SandboxProcess } from "../sandbox/process.ts";

/** All that a daemon's process gets to know at its start; `env` is in clear here and nowhere after. */
export type DaemonStart = Pick<AgentRequest, "agent_id" | "user_id" | "version" | "code" | "env" | "state_snapshot"> & {
  entrypoint: string;
  resources: { memory_bytes: number; processes: number; disk_bytes: number };
};

/**
 * Starts a daemon of one language in a sandbox. Its process reads JSON lines from stdin, `{"type": "message", …request}`,
 * `{"type": "cancel", "run_id"}` and `{"type": "stop"}`, nothing before it said `ready`; and says `DaemonFrame`s. Rejects
 * with `SandboxUnavailable`.
 */
export type DaemonHost = (start: DaemonStart) => Promise<SandboxProcess>;
