import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { chmodSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import { openAdapters } from "../../../worker/adapters/registry.ts";
import { createDaemonHosts } from "../../../worker/daemons/open-hosts.ts";
import type { DaemonHost } from "../../../worker/daemons/daemon-host.ts";
import type { Adapter } from "../../../worker/adapters/adapter.ts";
import { withVenv } from "../../../worker/environments/make-venv.ts";
import { openEnvironments } from "../../../worker/environments/environments.ts";
import { findBwrap } from "../../../worker/sandbox/find-bwrap.ts";
import { findPython } from "../../../worker/sandbox/find-python.ts";
import { listLevels } from "../../../worker/sandbox/list-levels.ts";
import { runCanaries } from "../../../worker/sandbox/run-canaries.ts";
import type { Python, Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { openSandboxUids } from "../../../worker/sandbox/sandbox-uids.ts";
import { findStrayFds } from "../../../worker/sandbox/stray-fds.ts";

const MiB = 1024 * 1024;
/** As an operator may set it for idle interpreters. */
const warmMemoryBytes = 768 * MiB;

/** No attack here has a network: attacks on the gateway have tests and a fuzz of their own. */
const noEgress = {
  trust: { authority: "", certificates: "" },
  open: () => ({ take: () => {}, beginRun: () => {}, endRun: async () => {}, close: () => {} }),
};

/** A level, with everything that a worker runs agents with. */
export type LevelUnderTest = {
  level: number;
  name: string;
  adapters: ReadonlyMap<string, Adapter>;
  hosts: ReadonlyMap<string, DaemonHost>;
  close(): Promise<void>;
};

export type ProvenLevels = {
  /** The levels that hold on this machine, the strongest first. `unproven` says why the others are missing. */
  levels: readonly Sandbox[];
  unproven: readonly string[];
  open(sandbox: Sandbox): Promise<LevelUnderTest>;
  close(): Promise<void>;
};

/** `bwrap`: bubblewrap's path; undefined to search `searchPath`. */
export async function openLevels(bwrap: string | undefined, searchPath: string): Promise<ProvenLevels> {
  // Not in /tmp: a sandbox has its own. Not named by the pid: another user's run may have left that one.
  const directory = mkdtempSync("/var/tmp/runfleet-attack-");
  chmodSync(directory, 0o755);
  const python = withVenv(await findPython(undefined, searchPath), directory);
  const uids = openSandboxUids();
  const parts = { bwrap: findBwrap(bwrap, searchPath), python, uids, strayFds: findStrayFds(), egress: noEgress };
  const unproven: string[] = [];
  const levels: Sandbox[] = [];
  for (const level of listLevels(parts)) {
    const sandbox = level.open();
    if ("reason" in sandbox) unproven.push(`level ${level.level} (${level.name}): ${sandbox.reason}`);
    else {
      const broken = await runCanaries(sandbox, python);
      if (broken.length === 0) levels.push(sandbox);
      else unproven.push(`level ${level.level} (${level.name}): its canaries got through: ${broken.join(", ")}`);
    }
  }
  return {
    levels,
    unproven,
    open: (sandbox) => openLevel(sandbox, python, directory),
    async close() {
      await Promise.all(levels.map((level) => level.close()));
      uids?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function openLevel(sandbox: Sandbox, python: Python, directory: string): Promise<LevelUnderTest> {
  const node = await findNode({ sandbox, directory, log: { warn: () => {} } });
  const limits = { maxBytes: MiB, eachMaxBytes: MiB, deadlineMs: 1_000, packageHosts: [] };
  const log = { warn: () => {} };
  const environments = openEnvironments({ sandbox, python, directory, log, env: {}, ...limits });
  const http = { allowCidrs: [], secretsOf: async () => [], now: async () => new Date() };
  const adapters = await openAdapters({
    sandbox,
    python,
    node,
    environments,
    idle: createIdleCache(warmMemoryBytes),
    containers: null,
    http,
  });
  return {
    level: sandbox.report.level,
    name: sandbox.report.name,
    adapters: adapters.byType,
    hosts: createDaemonHosts({ sandbox, python, node }),
    async close() {
      environments.close();
      await adapters.close();
    },
  };
}
