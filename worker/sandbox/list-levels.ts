import type { Egress } from "../gateway/egress.ts";
import { findHierarchy } from "./cgroup/find-hierarchy.ts";
import { openCgroups } from "./cgroup/open-cgroups.ts";
import type { OpenExecutable } from "./find-bwrap.ts";
import type { Python, Sandbox } from "./sandbox.ts";
import { bareProcess, landlock, seatbelt } from "./levels/confinements.ts";
import { createNamespaceSandbox } from "./levels/namespaces.ts";
import { createSupervisedSandbox } from "./levels/supervised.ts";
import type { SandboxUids } from "./sandbox-uids.ts";

type LevelParts = {
  bwrap: OpenExecutable | null;
  python: Python;
  uids: SandboxUids | null;
  strayFds: readonly number[];
  egress: Egress;
};

/** A level to try. `open` returns its sandbox, or why this machine can't have the level. */
export type Level = { level: number; name: string; open(): Sandbox | { reason: string } };

/** Lists every level, the strongest first. */
export function listLevels({ bwrap, python, uids, strayFds, egress }: LevelParts): Level[] {
  const noBwrap = { reason: "bubblewrap is not installed" };
  const notHere = { reason: `${process.platform}, ${process.arch} has none` };
  const sharesUser = {
    reason:
      "agents would run as the worker's own user: start the worker as root, which gives each sandbox a user of its own",
  };
  const supervised = (confinement: typeof bareProcess | null) =>
    confinement ? createSupervisedSandbox({ python, uids, strayFds, confinement }) : notHere;
  return [
    {
      level: 3,
      name: "ns+cgroup",
      open() {
        if (!bwrap) return noBwrap;
        const hierarchy = findHierarchy();
        if ("reason" in hierarchy) return hierarchy;
        return createNamespaceSandbox({ bwrap, python, uids, strayFds, egress, cgroups: openCgroups(hierarchy) });
      },
    },
    {
      level: 2,
      name: "ns",
      open: () => (bwrap ? createNamespaceSandbox({ bwrap, python, uids, strayFds, egress, cgroups: null }) : noBwrap),
    },
    ...(process.platform === "darwin"
      ? [{ level: 1, name: "seatbelt", open: () => supervised(seatbelt(python)) }]
      : [
          { level: 1, name: "landlock", open: () => (uids ? supervised(landlock(python, 1)) : sharesUser) },
          ...(uids ? [] : [{ level: 0, name: "landlock", open: () => supervised(landlock(python, 0)) }]),
        ]),
    { level: 0, name: "process", open: () => supervised(bareProcess) },
  ];
}
