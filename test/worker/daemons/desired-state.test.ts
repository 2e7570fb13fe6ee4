import { expect, test } from "vitest";
import type { WantedDaemon } from "../../../shared/store/daemons/report-daemon.ts";
import { decideStep, statusOf } from "../../../worker/daemons/desired-state.ts";
import type { ObservedDaemon, ObservedProcess } from "../../../worker/daemons/observed-state.ts";

const times = { stallMs: 1_000, startMs: 5_000 };
const now = 100_000;

const wanted = (changes: Partial<WantedDaemon> = {}): WantedDaemon => ({
  desired: "running",
  version: "1",
  is_built: true,
  restart_wanted: 0,
  grace_ms: 500,
  sealed_env: null,
  state_snapshot: null,
  previous_version: null,
  watch_left_ms: null,
  ...changes,
});
const seen = (changes: Partial<ObservedDaemon> = {}): ObservedDaemon => ({
  process: null,
  last: { version: "1", restart: 0 },
  crashes: 0,
  startAt: null,
  ...changes,
});
const running = (changes: Partial<ObservedProcess> = {}): Partial<ObservedDaemon> => ({
  process: { ready: true, startedAt: now - 100, stoppingSince: null, busy: false, lastProgressAt: now, ...changes },
});
const upgraded = { version: "2", previous_version: "1" };
const on2 = { last: { version: "2", restart: 0 } };

const cases: [string, WantedDaemon, ObservedDaemon, string, string][] = [
  ["a first start", wanted(), seen({ last: null }), "start", "starting"],
  ["at work", wanted(), seen(running()), "wait", "running"],
  ["paused: the process goes on", wanted({ desired: "paused" }), seen(running()), "wait", "paused"],
  ["not ready yet", wanted(), seen(running({ ready: false })), "wait", "starting"],
  ["never ready", wanted(), seen(running({ ready: false, startedAt: now - 5_000 })), "kill", "starting"],
  ["to stop", wanted({ desired: "stopped" }), seen(running()), "stop", "running"],
  [
    "stopping, within its grace",
    wanted({ desired: "stopped" }),
    seen(running({ stoppingSince: now - 499 })),
    "wait",
    "stopping",
  ],
  [
    "stopping, beyond its grace",
    wanted({ desired: "stopped" }),
    seen(running({ stoppingSince: now - 500 })),
    "kill",
    "stopping",
  ],
  ["stopped", wanted({ desired: "stopped" }), seen(), "release", "stopped"],
  ["to restart", wanted({ restart_wanted: 1 }), seen(running()), "stop", "running"],
  ["crashed, waiting", wanted(), seen({ crashes: 1, startAt: now + 1 }), "wait", "backoff"],
  ["crashed, its wait over", wanted(), seen({ crashes: 1, startAt: now }), "start", "starting"],
  ["crashed too often", wanted(), seen({ crashes: 9, startAt: "never" }), "fail", "failed"],
  [
    "crashed too often, and asked for again",
    wanted({ restart_wanted: 1 }),
    seen({ crashes: 9, startAt: "never" }),
    "start",
    "starting",
  ],
  ["busy and heard of", wanted(), seen(running({ busy: true, lastProgressAt: now - 999 })), "wait", "running"],
  ["busy without progress", wanted(), seen(running({ busy: true, lastProgressAt: now - 1_000 })), "wait", "degraded"],
  ["idle for long", wanted(), seen(running({ lastProgressAt: now - 99_000 })), "wait", "running"],
  ["upgraded: the old one goes", wanted(upgraded), seen(running()), "stop", "running"],
  ["upgraded: the new one is watched", wanted(upgraded), seen({ ...running(), ...on2 }), "watch", "running"],
  ["within the watch", wanted({ ...upgraded, watch_left_ms: 1 }), seen({ ...running(), ...on2 }), "wait", "running"],
  [
    "healthy until the watch is over",
    wanted({ ...upgraded, watch_left_ms: 0 }),
    seen({ ...running(), ...on2 }),
    "confirm",
    "running",
  ],
  [
    "stalled within the watch",
    wanted({ ...upgraded, watch_left_ms: 1 }),
    seen({ ...running({ busy: true, lastProgressAt: now - 1_000 }), ...on2 }),
    "roll_back",
    "degraded",
  ],
  [
    "crashed within the watch",
    wanted({ ...upgraded, watch_left_ms: 1 }),
    seen({ ...on2, crashes: 1, startAt: now + 9 }),
    "roll_back",
    "backoff",
  ],
  [
    "upgraded to a version that is being built: the old one goes on",
    wanted({ ...upgraded, is_built: false }),
    seen(running()),
    "wait",
    "running",
  ],
  [
    "the old one stalls while its successor is being built: nobody watches it",
    wanted({ ...upgraded, is_built: false }),
    seen(running({ busy: true, lastProgressAt: now - 1_000 })),
    "wait",
    "degraded",
  ],
  [
    "the old one crashes while its successor is being built",
    wanted({ ...upgraded, is_built: false }),
    seen({ crashes: 8, startAt: "never" }),
    "wait",
    "starting",
  ],
  [
    "stopped while its version is being built",
    wanted({ desired: "stopped", is_built: false }),
    seen({ last: null }),
    "release",
    "stopped",
  ],
  [
    "upgraded while it was in its backoff: the crashes were the old one's",
    wanted(upgraded),
    seen({ crashes: 3, startAt: now + 9_000 }),
    "start",
    "starting",
  ],
];

test.each(cases)("%s", (_name, wish, sight, step, status) => {
  expect(decideStep(wish, sight, now, times)).toBe(step);
  expect(statusOf(wish, sight, now, times)).toBe(status);
});
