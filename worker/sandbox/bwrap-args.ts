import { lstatSync, readlinkSync } from "node:fs";

export type NamespaceView = {
  /** Paths that the sandbox sees read-only, at the same path, besides the system's programs and libraries. */
  readOnly: readonly string[];
  diskBytes: number;
  env: Record<string, string>;
  /** Given when the command is the sandbox's first process; null when bubblewrap is, which then reaps. */
  first: FirstProcess | null;
  /** True for a sandbox with network: TLS needs the machine's certificates. */
  network: boolean;
  /** Files that are read from descriptors. They lie in the sandbox alone, and nobody there can change them. */
  trust: readonly { fd: number; path: string }[];
  /** The descriptor that the seccomp filter is read from; null for none. */
  seccompFd: number | null;
};

/**
 * `infoFd`: where bubblewrap writes the first process's pid. `blockFd`: where bubblewrap waits until the user ids are mapped;
 * null when it maps its own id only.
 */
export type FirstProcess = { infoFd: number; blockFd: number | null };

/** What the first process may do that the author's code may not; in its user namespace only. */
const capabilities = {
  /** To remove another user's files, to end that user's processes, and to start a process as that user. */
  twoIds: ["SETUID", "SETGID", "KILL", "DAC_OVERRIDE", "FOWNER", "SYS_PTRACE"],
  /** To inspect the process that loaded the author's code; and so that process can't inspect the first one (ptrace(2)). */
  oneId: ["SYS_PTRACE"],
};

/** The sandboxed process's working directory: private, empty and writable. */
export const workDirectory = "/run/agent/work";

/** Not bubblewrap's own `--dev`: that mounts terminals, and all sandboxes of a machine share a few thousand of those. */
const deviceArgs = [
  ...["--tmpfs", "/dev"],
  ...["null", "zero", "full", "random", "urandom"].flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["stdin", "stdout", "stderr"].flatMap((name, fd) => ["--symlink", `/proc/self/fd/${fd}`, `/dev/${name}`]),
];

const certificates = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates"];

/**
 * Returns bubblewrap's options: new namespaces of every kind, an empty read-only root with the system's programs, and one
 * size-limited tmpfs for the working directory and /tmp. No path of Runfleet's, no socket, no host file but programs.
 */
export function bwrapArgs({ readOnly, diskBytes, env, first, network, trust, seccompFd }: NamespaceView): string[] {
  // With two users these directories are the first process's, and the author's code writes to them: hence the sticky bit.
  const permissions = first?.blockFd != null ? ["--perms", "1777"] : [];
  const shown = ["/etc/ld.so.cache", "/etc/alternatives", ...(network ? certificates : [])];
  return [
    "--unshare-all",
    "--unshare-user",
    ...idArgs(first),
    "--die-with-parent",
    "--new-session",
    "--hostname",
    "run",
    ...(seccompFd === null ? [] : ["--seccomp", String(seccompFd)]),
    "--ro-bind",
    "/usr",
    "/usr",
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64"].flatMap(likeHost),
    // Parent directories that bubblewrap makes by itself are closed to every other user.
    ...ancestorsOf([...shown, ...readOnly, ...trust.map(({ path }) => path), "/run/agent"]).flatMap((path) => [
      "--dir",
      path,
    ]),
    ...shown.flatMap((path) => ["--ro-bind-try", path, path]),
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...trust.flatMap(({ fd, path }) => ["--perms", "0444", "--ro-bind-data", String(fd), path]),
    "--proc",
    "/proc",
    ...deviceArgs,
    ...permissions,
    "--size",
    "16777216",
    "--tmpfs",
    "/dev/shm",
    "--size",
    String(diskBytes),
    "--tmpfs",
    "/run/agent",
    ...permissions,
    "--dir",
    workDirectory,
    ...permissions,
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

/**
 * Returns the options for user ids and capabilities. `--disable-userns` works with a single mapped id only: with two ids the
 * seccomp filter refuses further user namespaces.
 */
function idArgs(first: FirstProcess | null): string[] {
  const dropped = ["--cap-drop", "ALL"];
  if (first === null) return ["--disable-userns", ...dropped];
  const { infoFd, blockFd } = first;
  const kept = (blockFd === null ? capabilities.oneId : capabilities.twoIds).flatMap((name) => [
    "--cap-add",
    `CAP_${name}`,
  ]);
  const ids = blockFd === null ? ["--disable-userns"] : ["--userns-block-fd", String(blockFd)];
  return [...ids, "--info-fd", String(infoFd), "--as-pid-1", ...dropped, ...kept];
}

/** Returns the paths' parent directories, each once, outer ones first. */
function ancestorsOf(paths: readonly string[]): string[] {
  const all = paths.flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(all)].toSorted();
}

/** Shows a top-level directory as the host has it: a link into /usr on merged systems, a directory on others. */
function likeHost(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
