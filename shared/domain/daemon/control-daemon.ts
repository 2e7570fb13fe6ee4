import type { DaemonStatus, DesiredState } from "../../schemas/daemon.ts";

/** The stored state of a daemon when a command arrives. */
export type StandingDaemon = {
  desired: DesiredState;
  version: string;
  status: DaemonStatus;
  restart_wanted: number;
  restart_seen: number;
  /** True when an operator stopped it. A message then doesn't start it. */
  held: boolean;
};

export type DaemonCommand = {
  action: "start" | "stop" | "restart" | "pause" | "resume" | "kill";
  /** The exact version that the command names. Null: none. */
  version: string | null;
  /** The agent's current version, for a daemon that is started. */
  current_version: string;
  /** True when the command has other environment variables than the daemon. */
  new_env: boolean;
  grace_ms: number | null;
};

export type DaemonWish = {
  desired: DesiredState;
  version: string;
  restart_wanted: number;
  grace_ms: number;
  held: boolean;
};

const defaultGraceMs = 10_000;

/**
 * Returns the desired state after a command. Null: the command changes nothing. A second restart changes nothing until the new
 * process is ready.
 */
export function applyCommand(standing: StandingDaemon, command: DaemonCommand): DaemonWish | null {
  const { desired, version, restart_wanted } = standing;
  const grace_ms = command.grace_ms ?? defaultGraceMs;
  const unchanged = { version, restart_wanted, grace_ms, held: false };
  switch (command.action) {
    case "stop":
    case "kill":
      return stop(standing, command, grace_ms);
    case "pause":
      return desired === "running" ? { ...unchanged, desired: "paused" } : null;
    case "resume":
      return desired === "paused" ? { ...unchanged, desired: "running" } : null;
    case "start":
    case "restart":
      return start(standing, command, grace_ms);
  }
}

function stop(standing: StandingDaemon, { action }: DaemonCommand, grace_ms: number): DaemonWish | null {
  const { desired, version, restart_wanted, held } = standing;
  const done = action === "kill" ? isOver(standing) : desired === "stopped" && held;
  if (done) return null;
  return { desired: "stopped", version, restart_wanted, held: true, grace_ms: action === "kill" ? 0 : grace_ms };
}

function start(standing: StandingDaemon, command: DaemonCommand, grace_ms: number): DaemonWish | null {
  const { desired, restart_wanted, status } = standing;
  const version = command.version ?? (desired === "stopped" ? command.current_version : standing.version);
  const isRestarting = restart_wanted !== standing.restart_seen || status === "starting";
  const restarts = command.action === "restart" && !isRestarting;
  const needsNewProcess = command.new_env || restarts || version !== standing.version;
  const runs = desired === "running" && status !== "failed";
  if (runs && !needsNewProcess) return null;
  return {
    desired: "running",
    version,
    restart_wanted: needsNewProcess ? restart_wanted + 1 : restart_wanted,
    grace_ms,
    held: false,
  };
}

/** No process runs, and no message starts one. */
function isOver({ desired, status, held }: StandingDaemon): boolean {
  return desired === "stopped" && status === "stopped" && held;
}
