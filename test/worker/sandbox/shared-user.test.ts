import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isReachable } from "../../../dev/reachable.ts";
import { bareProcess, landlock } from "../../../worker/sandbox/levels/confinements.ts";
import { createSupervisedSandbox, type Confinement } from "../../../worker/sandbox/levels/supervised.ts";
import { findPython } from "../../../worker/sandbox/find-python.ts";
import { runCanaries } from "../../../worker/sandbox/run-canaries.ts";
import { bwrapPath, searchPath } from "./open-levels.ts";

const onLinux = process.platform === "linux";
const python = await findPython(undefined, searchPath);
const attack = (confinement: Confinement) => {
  const claimed = { ...confinement, report: { ...confinement.report, level: 1 } };
  return runCanaries(createSupervisedSandbox({ python, uids: null, strayFds: [], confinement: claimed }), python);
};
const landlocked = landlock(python, 1);
/** What neither Landlock nor the file's mode keeps from a process of the file's owner. */
const ofOwner = ["file_mode", "file_times", "targets"];

test.runIf(onLinux && landlocked !== null)(
  "Landlock as the worker's own user is not level 1: the modes of that user's files are in reach, and nothing else is",
  async () => {
    if (landlocked) expect((await attack(landlocked)).toSorted()).toEqual(ofOwner.toSorted());
  },
);

test.runIf(onLinux && landlocked !== null)(
  "without the filter the same agent gets to its worker's limits and priorities",
  async () => {
    if (!landlocked) return;
    const failures = await attack({ ...landlocked, seccomp: null });
    for (const name of ["limits", "limits_read", "priority", "io_priority", "affinity", "scheduler", "unix_datagram"])
      expect(failures).toContain(name);
  },
);

test("without isolation nearly all canaries get through: they are real", async () => {
  expect(await attack(bareProcess)).toEqual(
    expect.arrayContaining(["secret_file", "unix_socket", "tcp_socket", "signal", "priority", ...ofOwner]),
  );
});

const program = "dist/test/worker/sandbox/prove-level.js";
const bwrap = bwrapPath() ?? "/usr/bin/bwrap";
/** No user of the machine, and no sandbox's. */
const ordinary = { uid: 59_321, gid: 59_321 };
const isRoot = process.getuid?.() === 0;

test.runIf(onLinux && isRoot && isReachable(join(process.cwd(), "dist/test")) && existsSync(bwrap))(
  "an ordinary user with 40 other processes proves level 2, and level 0 without bubblewrap",
  async () => {
    const others = Array.from({ length: 40 }, () => spawn("/bin/sleep", ["30"], { ...ordinary, stdio: "ignore" }));
    try {
      const prove = async (path: string) => {
        const { stdout } = await promisify(execFile)(process.execPath, [program, "0", path], { ...ordinary, env: {} });
        return (JSON.parse(stdout) as { report: unknown }).report;
      };
      expect(await prove(bwrap)).toMatchObject({ level: 2, name: "ns" });
      expect(await prove("/nonexistent")).toMatchObject({ level: 0, name: "landlock" });
    } finally {
      for (const other of others) other.kill("SIGKILL");
    }
  },
);
