import { chmodSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { inject } from "vitest";
import { createLog } from "../../../shared/platform/log.ts";
import { type OpenEgress, openEgress } from "../../../worker/gateway/open-egress.ts";
import {
  type Environments,
  type EnvironmentsOptions,
  openEnvironments,
} from "../../../worker/environments/environments.ts";
import { withVenv } from "../../../worker/environments/make-venv.ts";
import { findBwrap } from "../../../worker/sandbox/find-bwrap.ts";
import { findPython } from "../../../worker/sandbox/find-python.ts";
import type { Python, Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { listLevels } from "../../../worker/sandbox/list-levels.ts";
import { openSandboxUids } from "../../../worker/sandbox/sandbox-uids.ts";
import { findStrayFds } from "../../../worker/sandbox/stray-fds.ts";

export const searchPath = process.env["PATH"] ?? "";

/** bubblewrap's path as the test run provides it, or from BWRAP; undefined looks on PATH. */
export function bwrapPath(): string | undefined {
  const provided = (inject as (key: string) => unknown)("bwrap");
  return typeof provided === "string" ? provided : process.env["BWRAP"];
}

/** An egress that leads to this machine's own loopback, by any name. Its gateway is started with the first listener. */
export function loopbackEgress(more: readonly string[] = []): OpenEgress {
  const allow_hosts = ["*", "*:1", ...more];
  const options = { log_level: process.env["TEST_LOG_LEVEL"] ?? "silent", allow_hosts, allow_cidrs: ["127.0.0.0/8"] };
  const script = new URL("../../../dist/gateway/main.js", import.meta.url);
  const keeper = new URL("../../../dist/worker/keeper.js", import.meta.url);
  return openEgress({ script, keeper, options, log: createLog("test", "silent") });
}

/** Environments in a sandbox of this machine, of packages in folders and from indexes on this machine. */
export function environmentsIn(
  sandbox: Sandbox,
  given: Pick<EnvironmentsOptions, "python" | "directory"> & Partial<EnvironmentsOptions>,
): Environments {
  const limits = { maxBytes: 1 << 30, eachMaxBytes: 1 << 26, deadlineMs: 60_000, packageHosts: [] };
  const env = { PIP_CONFIG_FILE: "/dev/null" };
  return openEnvironments({ sandbox, log: { warn: () => undefined }, env, ...limits, ...given });
}

type Machine = {
  python: Python;
  environments: Environments;
  /** Where the sandboxes' users can read. */
  directory: string;
  levels: Sandbox[];
  close(): Promise<void>;
};

/** Every level that this machine can have, strongest first, unproven. `hosts`: what the way out allows beyond the web's ports. */
export async function openLevels(hosts: readonly string[] = []): Promise<Machine> {
  // Not named by the pid: another user's run may have left that one. Sandboxes' users read it.
  const directory = mkdtempSync("/var/tmp/runfleet-test-");
  chmodSync(directory, 0o755);
  const python = withVenv(await findPython(undefined, searchPath), directory);
  const uids = openSandboxUids();
  const bwrap = findBwrap(bwrapPath(), searchPath);
  const egress = loopbackEgress(hosts);
  const parts = { bwrap, python, uids, strayFds: findStrayFds(), egress };
  const opened = listLevels(parts).map((level) => level.open());
  const levels = opened.filter((level): level is Sandbox => "start" in level);
  const [strongest] = levels;
  if (!strongest) throw new Error("This machine has no sandbox at all.");
  const environments = environmentsIn(strongest, { python, directory });
  return {
    python,
    environments,
    directory,
    levels,
    close: async () => {
      environments.close();
      await Promise.all(levels.map((level) => level.close()));
      uids?.close();
      egress.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What adapters that run nothing on this machine are opened with. */
export const elsewhere = {
  containers: null,
  http: { allowCidrs: ["127.0.0.0/8"], secretsOf: async () => [], now: async () => new Date() },
};
