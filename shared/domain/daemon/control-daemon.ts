import type { DaemonStatus, DesiredState } from "../../schemas/daemon.ts";

/** What stands of a daemon when somebody commands it. */
export type StandingDaemon = {
  desired: DesiredState;
  version: string;
  status: DaemonStatus;
  restart_wanted: number;
  restart_seen: number;
};

export type DaemonCommand = {
  action: "start" | "stop" | "restart" | "pause" | "resume" | "kill";
  /** The exact one that was asked for; null: none was. */
  version: string | null;
  /** The agent's, for a daemon that is started anew. */
  current_version: string;
  /** Whether it brings other variables than the daemon has. */
  new_env: boolean;
  grace_ms: number | null;
};

export type DaemonWish = { desired: DesiredState; version: string; restart_wanted: number; grace_ms: number };

const defaultGraceMs = 10_000;

/**
 * What a command changes of what is wanted; null when all is so already. A restart that is under way counts as done, until the
 * new process is ready.
 */
export function applyCommand(standing: StandingDaemon, command: DaemonCommand): DaemonWish | null {
  const { desired, version, restart_wanted } = standing;
  const grace_ms = command.grace_ms ?? defaultGraceMs;
  const keep = { version, restart_wanted, grace_ms };
  switch (command.action) {
    case "stop":
      return desired === "stopped" ? null : { ...keep, desired: "stopped" };
    case "kill":
      return isOver(standing) ? null : { ...keep, desired: "stopped", grace_ms: 0 };
    case "pause":
      return desired === "running" ? { ...keep, desired: "paused" } : null;
    case "resume":
      return desired === "paused" ? { ...keep, desired: "running" } : null;
    case "start":
    case "restart":
      return start(standing, command, grace_ms);
  }
}

function start(standing: StandingDaemon, command: DaemonCommand, grace_ms: number): DaemonWish | null {
  const { desired, restart_wanted, status } = standing;
  const version = command.version ?? (desired === "stopped" ? command.current_version : standing.version);
  const isUnderWay = restart_wanted !== standing.restart_seen || status === "starting";
  const asked = command.action === "restart" && !isUnderWay;
  const anew = command.new_env || asked || version !== standing.version;
  const same = desired === "running" && status !== "failed";
  if (same && !anew) return null;
  return { desired: "running", version, restart_wanted: anew ? restart_wanted + 1 : restart_wanted, grace_ms };
}

/** No process, and none wanted. */
function isOver({ desired, status }: StandingDaemon): boolean {
  return desired === "stopped" && status === "stopped";
}
