import { lstatSync, readlinkSync } from "node:fs";

export type NamespaceView = {
  /** Shown read-only at the same place, beyond the system's programs and libraries. */
  readOnly: readonly string[];
  diskBytes: number;
  env: Record<string, string>;
  /** The command is pid 1 in there; else bubblewrap is, and reaps. */
  resident: boolean;
  /** It speaks TLS, so it needs the machine's certificates. */
  network: boolean;
  /** The descriptor that the seccomp filter is read from; null for none. */
  seccompFd: number | null;
};

/** Where the sandboxed process starts: private, empty and writable. */
export const workDirectory = "/run/agent/work";

const certificates = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates"];

/**
 * bubblewrap's options: new namespaces of every kind, an empty read-only root with the system's programs, and one
 * size-limited tmpfs that holds the working directory and /tmp. No path of ours, no socket, no host file but programs.
 */
export function bwrapArgs({ readOnly, diskBytes, env, resident, network, seccompFd }: NamespaceView): string[] {
  return [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    ...(resident ? ["--as-pid-1"] : []),
    "--cap-drop",
    "ALL",
    "--hostname",
    "run",
    ...(seccompFd === null ? [] : ["--seccomp", String(seccompFd)]),
    "--ro-bind",
    "/usr",
    "/usr",
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64"].flatMap(likeHost),
    ...["/etc/ld.so.cache", "/etc/alternatives", ...(network ? certificates : [])].flatMap((path) => [
      "--ro-bind-try",
      path,
      path,
    ]),
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    "16777216",
    "--tmpfs",
    "/dev/shm",
    "--size",
    String(diskBytes),
    "--tmpfs",
    "/run/agent",
    "--dir",
    workDirectory,
    "--dir",
    "/run/agent/tmp",
    "--symlink",
    "run/agent/tmp",
    "/tmp",
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    workDirectory,
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** A top-level directory as the host has it: a link into /usr on merged systems, a directory on others. */
function likeHost(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
