import type { Python } from "../sandbox.ts";
import { assembleSeccomp } from "../seccomp.ts";
import type { Confinement } from "./supervised.ts";

const asIs: Confinement["wrap"] = ({ argv }) => [...argv];

/**
 * Landlock for files and signals, and a seccomp filter that allows no sockets but connected pairs. Level 1 on Linux for a
 * sandbox with a uid of its own. As the worker's own user it is level 0: Landlock doesn't keep a process from changing modes,
 * owners and times of that user's files (landlock(7)), or from using up what the kernel counts per user. Returns null where
 * there is no filter for the machine.
 */
export function landlock(python: Python, level: 0 | 1): Confinement | null {
  const seccomp = assembleSeccomp(process.arch, "shared");
  if (process.platform !== "linux" || !seccomp) return null;
  const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"];
  // Node does not start when this file exists but can't be read.
  const openssl = "/etc/ssl/openssl.cnf";
  return {
    report: { level, name: "landlock", layers: ["landlock", "seccomp", "rlimits"] },
    readable: [...system, openssl, ...python.prefixes],
    seccomp,
    wrap: asIs,
  };
}

/**
 * Level 1 on macOS: Seatbelt denies all but programs, the working directory and processes. Untested on macOS: written from
 * the profiles that ship with it (/System/Library/Sandbox/Profiles). sandbox-exec is deprecated but present.
 */
export function seatbelt(python: Python): Confinement | null {
  if (process.platform !== "darwin") return null;
  const readable = [
    "/usr",
    "/bin",
    "/System",
    "/Library/Frameworks",
    "/private/var/db/dyld",
    "/dev",
    ...python.prefixes,
  ];
  const subpaths = (paths: string[]) => paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
  const profile = (directory: string, readOnly: readonly string[]) =>
    [
      "(version 1)(deny default)",
      "(allow process-fork)(allow process-exec)(allow sysctl-read)(allow signal (target same-sandbox))",
      '(allow file-read-metadata)(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
      `(allow file-read* (literal "/") ${subpaths([...readable, ...readOnly])})`,
      `(allow file-read* file-write* ${subpaths([directory, `/private${directory}`])} (literal "/dev/null"))`,
    ].join("");
  return {
    report: { level: 1, name: "seatbelt", layers: ["seatbelt", "rlimits"] },
    readable: [],
    seccomp: null,
    wrap: ({ argv, readOnly }, directory) => ["/usr/bin/sandbox-exec", "-p", profile(directory, readOnly), ...argv],
  };
}

/** Level 0: limits and a clean environment. This is no isolation, and for trusted agents only. */
export const bareProcess: Confinement = {
  report: { level: 0, name: "process", layers: ["rlimits"] },
  readable: [],
  seccomp: null,
  wrap: asIs,
};
