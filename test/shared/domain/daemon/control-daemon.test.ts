import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyCommand,
  type DaemonCommand,
  type StandingDaemon,
} from "../../../../shared/domain/daemon/control-daemon.ts";
import { daemonStatuses, desiredStates } from "../../../../shared/schemas/daemon.ts";

const standing: fc.Arbitrary<StandingDaemon> = fc.record({
  desired: fc.constantFrom(...desiredStates),
  version: fc.constantFrom("1", "2"),
  status: fc.constantFrom(...daemonStatuses),
  restart_wanted: fc.constantFrom(3, 4),
  restart_seen: fc.constant(3),
  held: fc.boolean(),
});
const command: fc.Arbitrary<DaemonCommand> = fc.record({
  action: fc.constantFrom("start", "stop", "restart", "pause", "resume", "kill"),
  version: fc.constantFrom(null, "1", "2"),
  current_version: fc.constant("2"),
  new_env: fc.constant(false),
  grace_ms: fc.constantFrom(null, 0, 100),
});

/** As the store leaves it: an owned daemon keeps its status until its supervisor has looked. */
function applied(before: StandingDaemon, act: DaemonCommand): StandingDaemon {
  const wish = applyCommand(before, act);
  if (!wish) return before;
  const { grace_ms: _, ...kept } = wish;
  const status = before.status === "failed" ? "starting" : before.status;
  return { ...before, ...kept, status: wish.desired === "stopped" ? "stopped" : status };
}

test("the same command twice is one: the second changes nothing", () => {
  fc.assert(
    fc.property(standing, command, (before, act) => {
      const once = applied(before, act);
      expect(applyCommand(once, act)).toBeNull();
    }),
  );
});

test("stop and kill always end in stopped; pause and resume never start what is stopped", () => {
  fc.assert(
    fc.property(standing, command, (before, act) => {
      const { desired } = applied(before, act);
      if (act.action === "stop" || act.action === "kill") expect(desired).toBe("stopped");
      if (act.action === "start" || act.action === "restart") expect(desired).toBe("running");
      if (before.desired === "stopped" && (act.action === "pause" || act.action === "resume"))
        expect(desired).toBe("stopped");
    }),
  );
});

test("a restart that is asked for while the process of the one before starts changes nothing; once it is ready it does", () => {
  const restart = { action: "restart", version: null, current_version: "2", new_env: false, grace_ms: null } as const;
  const done = { desired: "running", version: "2", restart_wanted: 3, restart_seen: 3, held: false } as const;
  expect(applyCommand({ ...done, status: "starting" }, restart)).toBeNull();
  expect(applyCommand({ ...done, status: "running" }, restart)).toMatchObject({ restart_wanted: 4 });
});
