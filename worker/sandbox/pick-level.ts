import { closeSync, existsSync, readFileSync } from "node:fs";
import type { Egress } from "../gateway/egress.ts";
import type { Log } from "../../shared/platform/log.ts";
import { explainRefusal, type NamespaceSettings } from "./explain-refusal.ts";
import { findBwrap } from "./find-bwrap.ts";
import { type Python, type Sandbox, SandboxUnavailable } from "./sandbox.ts";
import { type Level, listLevels } from "./list-levels.ts";
import { runCanaries } from "./run-canaries.ts";
import { openSandboxUids } from "./sandbox-uids.ts";
import { findStrayFds } from "./stray-fds.ts";

type SandboxOptions = {
  /** 0 … 3. The worker must not start with a weaker level. */
  minLevel: number;
  /** bubblewrap's path; undefined to search `searchPath`. */
  bwrap: string | undefined;
  searchPath: string;
  python: Python;
  /** Opens the network for sandboxes with egress. */
  egress: Egress;
  log: Pick<Log, "info" | "warn">;
};

/** A level that the canaries proved. `missing` says why each stronger level is not available. */
export type ProvenSandbox = Sandbox & { readonly missing: readonly string[] };

/**
 * Opens the strongest level that holds on this machine: canaries attack each level from inside, and a level is used only when
 * it holds. A weaker level than 3 is logged as a warning, with the reasons. Throws one `SandboxUnavailable` with every reason
 * when no level at or above `minLevel` holds.
 */
export async function openSandbox({
  minLevel,
  bwrap,
  searchPath,
  python,
  egress,
  log,
}: SandboxOptions): Promise<ProvenSandbox> {
  const uids = openSandboxUids();
  const executable = findBwrap(bwrap, searchPath);
  const parts = { bwrap: executable, python, uids, strayFds: findStrayFds(), egress };
  const closeParts = () => {
    uids?.close();
    if (executable) closeSync(executable.fd);
  };
  const missing: string[] = [];
  for (const level of listLevels(parts).filter((candidate) => candidate.level >= minLevel)) {
    const outcome = await tryLevel(level, python);
    if ("reason" in outcome) {
      missing.push(`${level.name}: ${outcome.reason}`);
      continue;
    }
    const { report } = outcome;
    if (report.level < 3)
      log.warn({ sandbox: report, missing }, `sandbox: level ${report.level}, because ${missing.join("; ")}`);
    else log.info({ sandbox: report }, "sandbox: proven");
    return {
      report,
      missing,
      hasEgress: outcome.hasEgress,
      start: (command) => outcome.start(command),
      startWarm: outcome.startWarm,
      close: async () => {
        await outcome.close();
        closeParts();
      },
    };
  }
  closeParts();
  const advice =
    minLevel > 0 ? ` For agents that you trust, SANDBOX_MIN_LEVEL=${minLevel - 1} allows a weaker one.` : "";
  throw new SandboxUnavailable(`No sandbox of level ${minLevel} or above holds here. ${missing.join("; ")}.${advice}`);
}

async function tryLevel(level: Level, python: Python): Promise<Sandbox | { reason: string }> {
  const sandbox = level.open();
  if ("reason" in sandbox) return sandbox;
  const failures = await runCanaries(sandbox, python);
  if (failures.length === 0) return sandbox;
  await sandbox.close();
  const [silent] = failures.filter((failure) => failure.startsWith("starts: "));
  if (silent !== undefined)
    return { reason: explainRefusal(silent.replace("starts: ", "it does not start: "), readSettings()) };
  return { reason: `the canaries got through: ${failures.join(", ")}` };
}

function readSettings(): NamespaceSettings {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim() : null);
  return {
    most: read("/proc/sys/user/max_user_namespaces"),
    unprivileged: read("/proc/sys/kernel/unprivileged_userns_clone"),
    appArmor: read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
  };
}
