import { lstatSync, readlinkSync } from "node:fs";

export type NamespaceView = {
  /** Shown read-only at the same place, beyond the system's programs and libraries. */
  readOnly: readonly string[];
  diskBytes: number;
  env: Record<string, string>;
  /** The command is the first process in there; null: bubblewrap is, and reaps. */
  first: FirstProcess | null;
  /** It speaks TLS, so it needs the machine's certificates. */
  network: boolean;
  /** The descriptor that the seccomp filter is read from; null for none. */
  seccompFd: number | null;
};

/**
 * `infoFd`: where bubblewrap says its pid. `blockFd`: where it waits until the user ids are mapped; null: it maps its own one.
 */
export type FirstProcess = { infoFd: number; blockFd: number | null };

/** What the first process may do that the author's code may not; in its user namespace only. */
const capabilities = {
  /** It has another user's files to remove, processes to end, and to become that user for a start. */
  twoIds: ["SETUID", "SETGID", "KILL", "DAC_OVERRIDE", "FOWNER", "SYS_PTRACE"],
  /** Looking into the process that loaded the author's code; and so that process can't look into it (ptrace(2)). */
  oneId: ["SYS_PTRACE"],
};

/** Where the sandboxed process starts: private, empty and writable. */
export const workDirectory = "/run/agent/work";

/** Not bubblewrap's own `--dev`: it brings terminals, of which all sandboxes of a machine share a few thousand. */
const deviceArgs = [
  ...["--tmpfs", "/dev"],
  ...["null", "zero", "full", "random", "urandom"].flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["stdin", "stdout", "stderr"].flatMap((name, fd) => ["--symlink", `/proc/self/fd/${fd}`, `/dev/${name}`]),
];

const certificates = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates"];

/**
 * bubblewrap's options: new namespaces of every kind, an empty read-only root with the system's programs, and one
 * size-limited tmpfs that holds the working directory and /tmp. No path of ours, no socket, no host file but programs.
 */
export function bwrapArgs({ readOnly, diskBytes, env, first, network, seccompFd }: NamespaceView): string[] {
  // A place that belongs to another user than who writes to it is sticky: what that user makes there is theirs, it isn't.
  const place = first?.blockFd != null ? ["--perms", "1777"] : [];
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
    ...["/etc/ld.so.cache", "/etc/alternatives", ...(network ? certificates : [])].flatMap((path) => [
      "--ro-bind-try",
      path,
      path,
    ]),
    // What bubblewrap makes on the way to a place by itself is closed to every other user.
    ...ancestorsOf([...readOnly, "/run/agent"]).flatMap((path) => ["--dir", path]),
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    "--proc",
    "/proc",
    ...deviceArgs,
    ...place,
    "--size",
    "16777216",
    "--tmpfs",
    "/dev/shm",
    "--size",
    String(diskBytes),
    "--tmpfs",
    "/run/agent",
    ...place,
    "--dir",
    workDirectory,
    ...place,
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
 * Who is who inside. With two ids bubblewrap can't forbid further user namespaces itself, since it maps one id only in the
 * namespace that it makes for that: the seccomp filter refuses them.
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

/** The directories that the paths lie in, each once, outer ones first. */
function ancestorsOf(paths: readonly string[]): string[] {
  const all = paths.flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(all)].toSorted();
}

/** A top-level directory as the host has it: a link into /usr on merged systems, a directory on others. */
function likeHost(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
