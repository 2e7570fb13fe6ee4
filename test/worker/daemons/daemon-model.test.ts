import fc from "fast-check";
import { expect, test } from "vitest";
import { applyCommand, type DaemonCommand } from "../../../shared/domain/daemon/control-daemon.ts";
import type { WantedDaemon } from "../../../shared/store/daemons/report-daemon.ts";
import { backoffMs, countCrash } from "../../../worker/daemons/crash-backoff.ts";
import { decideStep, type Step, statusOf } from "../../../worker/daemons/desired-state.ts";
import { isReplacementWanted, type ObservedDaemon } from "../../../worker/daemons/observed-state.ts";

const times = { stallMs: 1_000, startMs: 5_000 };
const watchMs = 3_000;
const mostCrashes = 8;

/** A daemon's row, what its owner sees, and how it ended, once it has none. */
type World = { now: number; wanted: WantedDaemon; seen: ObservedDaemon; over: "stopped" | "failed" | null };

const unseen = (): ObservedDaemon => ({ process: null, last: null, crashes: 0, startAt: null });
const newWorld = (): World => ({
  now: 0,
  wanted: {
    desired: "running",
    version: "1",
    is_built: true,
    restart_wanted: 0,
    grace_ms: 500,
    sealed_env: null,
    state_snapshot: null,
    previous_version: null,
    watch_left_ms: null,
  },
  seen: unseen(),
  over: null,
});

/** The process is gone, as its supervisor notes it. */
function exit({ now, seen }: World): void {
  const { process } = seen;
  if (!process) return;
  seen.process = null;
  if (process.stoppingSince !== null) return;
  seen.crashes = countCrash(seen.crashes, now - process.startedAt, 1);
  const delay = backoffMs(seen.crashes, 1);
  seen.startAt = delay === null ? "never" : now + delay;
}

const leave = (world: World, how: "stopped" | "failed"): void => {
  if (world.seen.process) throw new Error(`${how} beside a process`);
  world.over = how;
};

/** What each step does; it throws where the step is wrong. */
const acts: Record<Step, (world: World) => void> = {
  wait: () => undefined,
  start({ now, wanted, seen }) {
    if (seen.process || wanted.desired === "stopped") throw new Error("started beside a process, or unwanted");
    if (!wanted.is_built) throw new Error("started before it was built");
    if (isReplacementWanted(wanted, seen)) seen.crashes = 0;
    seen.last = { version: wanted.version, restart: wanted.restart_wanted };
    seen.startAt = null;
    seen.process = { ready: false, startedAt: now, stoppingSince: null, busy: false, lastProgressAt: now };
  },
  stop({ now, wanted, seen }) {
    if (!seen.process) throw new Error("stopped though there is nothing");
    if (wanted.desired !== "stopped" && !wanted.is_built) throw new Error("stopped before its successor was built");
    seen.process.stoppingSince = now;
  },
  kill(world) {
    const { now, wanted, seen } = world;
    if (!seen.process) throw new Error("killed though there is nothing");
    const { stoppingSince, startedAt, ready } = seen.process;
    const unready = !ready && now - startedAt >= times.startMs;
    const late = stoppingSince === null ? unready : now - stoppingSince >= wanted.grace_ms;
    if (!late) throw new Error("killed within its time");
    exit(world);
  },
  release(world) {
    if (world.wanted.desired !== "stopped") throw new Error("let go of though it is wanted");
    leave(world, "stopped");
  },
  fail(world) {
    if (world.seen.crashes < mostCrashes) throw new Error(`failed after ${world.seen.crashes} crashes`);
    leave(world, "failed");
  },
  watch({ wanted }) {
    if (!wanted.is_built) throw new Error("watched before it was built");
    wanted.watch_left_ms = watchMs;
  },
  confirm: ({ wanted }) => void Object.assign(wanted, { previous_version: null, watch_left_ms: null }),
  roll_back({ wanted }) {
    if (!wanted.is_built) throw new Error("rolled back before it was built");
    Object.assign(wanted, { version: wanted.previous_version, previous_version: null, watch_left_ms: null });
  },
};

function beat(world: World): void {
  if (world.over) return;
  const { now, wanted, seen } = world;
  const step = decideStep(wanted, seen, now, times);
  const status = statusOf(wanted, seen, now, times);
  if (status === "running" && (!seen.process?.ready || wanted.desired === "paused")) throw new Error("it doesn't run");
  if (status === "stopped" && seen.process) throw new Error("stopped beside a process");
  acts[step](world);
}

function pass(world: World, ms: number): void {
  world.now += ms;
  if (world.wanted.watch_left_ms !== null) world.wanted.watch_left_ms -= ms;
}

function command(world: World, action: DaemonCommand["action"]): void {
  const { wanted, seen, over } = world;
  const status = over ?? statusOf(wanted, seen, world.now, times);
  const { desired, version } = wanted;
  const standing = { ...wanted, status, restart_seen: seen.last?.restart ?? 0, held: desired === "stopped" };
  const wish = applyCommand(standing, { action, version: null, current_version: "1", new_env: false, grace_ms: 500 });
  if (!wish) return;
  Object.assign(wanted, wish);
  // As the store has it.
  if (wish.desired === "stopped" || wish.version !== version)
    Object.assign(wanted, { previous_version: null, watch_left_ms: null });
  if (desired === "paused") wanted.watch_left_ms = null;
  // Somebody claims it.
  if (over !== null && wish.desired !== "stopped") Object.assign(world, { over: null, seen: unseen() });
}

function upgrade(world: World, is_built: boolean): void {
  const { wanted, over } = world;
  if (over !== null || wanted.desired === "stopped") return;
  const previous_version = wanted.previous_version ?? wanted.version;
  Object.assign(wanted, { version: `${wanted.version}+`, is_built, previous_version, watch_left_ms: null });
}

function build({ wanted }: World): void {
  wanted.is_built = true;
}

const onProcess =
  (change: (process: NonNullable<ObservedDaemon["process"]>, now: number) => void) => (world: World) => {
    if (world.seen.process) change(world.seen.process, world.now);
  };
const moves: ((world: World) => void)[] = [
  ...(["start", "stop", "restart", "pause", "resume", "kill"] as const).map(
    (action) => (world: World) => command(world, action),
  ),
  (world) => upgrade(world, true),
  (world) => upgrade(world, false),
  build,
  exit,
  exit,
  onProcess((process) => (process.ready = true)),
  onProcess((process) => (process.busy = true)),
  onProcess((process, now) => Object.assign(process, { busy: false, lastProgressAt: now })),
  (world) => pass(world, 200),
  (world) => pass(world, 2_000),
  (world) => pass(world, 60_000),
];

/** A process that does as it is told: it gets ready, ends when it is asked to, and makes progress. */
function settle(world: World): void {
  build(world);
  for (let beats = 0; beats < 500 && !world.over; beats += 1) {
    const { process } = world.seen;
    if (process?.stoppingSince != null) exit(world);
    else if (process) Object.assign(process, { ready: true, busy: false, lastProgressAt: world.now });
    beat(world);
    pass(world, 300);
  }
}

test("whatever is commanded and whatever happens, in whatever order: no step is wrong, and it comes to what is wanted", () => {
  const sequence = fc.array(fc.nat(moves.length - 1), { maxLength: 30 });
  const property = fc.property(sequence, (numbers) => {
    const world = newWorld();
    for (const number of numbers) {
      moves[number]?.(world);
      beat(world);
    }
    settle(world);
    const { wanted, seen, over, now } = world;
    const status = over ?? statusOf(wanted, seen, now, times);
    if (wanted.desired === "stopped" && over === null) throw new Error(`wanted stopped, is ${status}`);
    if (wanted.desired !== "stopped" && over !== "failed" && status !== wanted.desired)
      throw new Error(`wanted ${wanted.desired}, is ${status}`);
    if (over === null && wanted.desired === "running" && wanted.previous_version !== null)
      throw new Error("an upgrade without an end");
  });
  fc.assert(property, { numRuns: 100_000 });
  expect(moves.length).toBeGreaterThan(10);
}, 180_000);
