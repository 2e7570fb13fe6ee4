import type { DaemonReport } from "../../shared/store/daemons/report-daemon.ts";
import { type DaemonLife, observedOf } from "./daemon-life.ts";
import { statusOf } from "./desired-state.ts";
import { isStalled } from "./observed-state.ts";

/** Returns what is stored about a daemon. Its status is `starting` until the desired state was read. */
export function reportOf(life: DaemonLife): DaemonReport {
  const { live, wanted, times, startAt } = life;
  const now = performance.now();
  return {
    status: wanted ? statusOf(wanted, observedOf(life), now, times) : "starting",
    pid: live?.process.pid ?? null,
    restarts: life.restarts,
    crashes: life.crashes,
    restart_seen: life.last?.restart ?? life.claimed.restart_seen,
    next_start_at: typeof startAt === "number" ? wallClock(startAt) : null,
    last_exit: life.lastExit,
    degraded: live !== null && isStalled(live, now, times),
    last_progress_at: live && wallClock(live.lastProgressAt),
    started_at: live?.startedOn ?? null,
  };
}

const wallClock = (at: number): Date => new Date(Date.now() + at - performance.now());
