import type { DaemonStatus } from "../../shared/schemas/daemon.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import {
  isReplacementWanted,
  isStalled,
  type ObservedDaemon,
  type ObservedProcess,
  type SupervisionTimes,
} from "./observed-state.ts";

/**
 * What to do next. `release`: give up the lease, as the daemon is stopped. `fail`: give up the lease, as the daemon has
 * failed. `stop`: ask the process to end. `watch`, `confirm` and `roll_back` are the steps of a watched upgrade.
 */
export type Step = "wait" | "start" | "stop" | "kill" | "release" | "fail" | "watch" | "confirm" | "roll_back";

/** Returns the one step that brings the observed state nearer to the desired one. */
export function decideStep(wanted: WantedDaemon, seen: ObservedDaemon, now: number, times: SupervisionTimes): Step {
  if (!seen.process) return stepWithoutProcess(wanted, seen, now);
  const { process } = seen;
  if (process.stoppingSince !== null) return now - process.stoppingSince >= wanted.grace_ms ? "kill" : "wait";
  if (wanted.desired === "stopped" || isReplacementWanted(wanted, seen)) return "stop";
  if (!process.ready) return now - process.startedAt >= times.startMs ? "kill" : "wait";
  // The process of a version that is still to be replaced is not the one to watch.
  return wanted.previous_version === null || !wanted.is_built ? "wait" : stepOfWatch(wanted, process, now, times);
}

function stepOfWatch(wanted: WantedDaemon, process: ObservedProcess, now: number, times: SupervisionTimes): Step {
  if (isStalled(process, now, times)) return "roll_back";
  if (wanted.watch_left_ms === null) return "watch";
  // A paused daemon proves nothing.
  return wanted.watch_left_ms <= 0 && wanted.desired === "running" ? "confirm" : "wait";
}

function stepWithoutProcess(wanted: WantedDaemon, seen: ObservedDaemon, now: number): Step {
  if (wanted.desired === "stopped") return "release";
  if (!wanted.is_built) return "wait";
  if (isReplacementWanted(wanted, seen)) return "start";
  if (wanted.previous_version !== null && seen.crashes > 0) return "roll_back";
  if (seen.startAt === "never") return "fail";
  return seen.startAt !== null && now < seen.startAt ? "wait" : "start";
}

/** Returns the daemon's public status. */
export function statusOf(
  wanted: WantedDaemon,
  seen: ObservedDaemon,
  now: number,
  times: SupervisionTimes,
): DaemonStatus {
  const { process } = seen;
  if (process) {
    if (process.stoppingSince !== null) return "stopping";
    if (!process.ready) return "starting";
    if (isStalled(process, now, times)) return "degraded";
    return wanted.desired === "paused" ? "paused" : "running";
  }
  if (wanted.desired === "stopped") return "stopped";
  if (!wanted.is_built || isReplacementWanted(wanted, seen) || seen.startAt === null) return "starting";
  if (seen.startAt === "never") return "failed";
  return now < seen.startAt ? "backoff" : "starting";
}
