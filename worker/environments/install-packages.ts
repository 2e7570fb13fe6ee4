import { existsSync, readFileSync } from "node:fs";
import { createRedactor } from "../../shared/platform/secrets/redact.ts";
import type { SandboxExit, SandboxProcess } from "../sandbox/process.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import { ArchiveFault } from "./archive-fault.ts";
import type { Packages } from "./packages.ts";
import { readLock } from "./read-lock.ts";
import type { Index } from "./read-index.ts";
import { readLogLines } from "./read-log-lines.ts";
import { unpackArchive } from "./unpack-archive.ts";

const MiB = 1024 * 1024;
const program = readFileSync(new URL("./install_packages.py", import.meta.url), "utf8");
/** How many of pip's last lines are part of an error. */
const tailLines = 20;
/** How much of one of pip's lines is shown. */
const shownChars = 1_000;
const archiveLimits = { entries: 100_000, path_bytes: 1_024, names_bytes: 16 * MiB, depth: 32 };
/** pip unpacks wheels beside the downloaded ones, and the sandbox's disk is memory. */
const diskOf = (maxBytes: number): number => Math.ceil(maxBytes * 1.5) + 64 * MiB;
const pipMemory = 512 * MiB;
/**
 * pip fails where these exist but can't be read, as under Landlock. Of version 24.1 and later it reads the certificates when it
 * starts, with or without a network.
 */
const pipReads = ["/etc/debian_version", "/etc/mime.types", "/etc/ssl/certs"];

export type InstallOptions = {
  sandbox: Sandbox;
  python: Python;
  index: Index;
  eachMaxBytes: number;
  deadlineMs: number;
};

type PackageInstall = {
  packages: Packages;
  /** The directory that the packages are written to; must not exist. */
  target: string;
  signal: AbortSignal;
  onLine: (line: string) => void;
};

/**
 * `cpu_ms`: what the install used; null where the sandbox can't measure it. `lock`: the packages exactly, with which the same
 * ones can be installed again.
 */
export type InstallOutcome = { cpu_ms: number | null } & ({ bytes: number; lock: string } | { fault: string });

/**
 * Installs wheels with pip, in a sandbox of its own that reaches the package index and nothing else, and unpacks the archive
 * that comes out of it. Rejects with `SandboxUnavailable`.
 */
export async function installPackages(options: InstallOptions, installing: PackageInstall): Promise<InstallOutcome> {
  const { sandbox, python, index, eachMaxBytes: maxBytes, deadlineMs } = options;
  const { packages, target, onLine } = installing;
  const network = networkOf(sandbox, index);
  if ("fault" in network) return { cpu_ms: 0, fault: network.fault };
  if (network.note !== null) onLine(network.note);
  const disk_bytes = diskOf(maxBytes);
  const child = await sandbox.start({
    argv: [python.path, "-I", "-S", "-c", program],
    // An index on this machine, too, is reached through the sandbox's own proxy.
    env: {
      PIP_ROOT_USER_ACTION: "ignore",
      ...index.env,
      ...(network.egress === null ? index.proxy : { NO_PROXY: "", no_proxy: "" }),
    },
    readOnly: [...index.paths, ...pipReads].filter((path) => existsSync(path)),
    egress: network.egress,
    resources: { memory_bytes: disk_bytes + pipMemory, disk_bytes, processes: 32, cpu_ms: deadlineMs },
  });
  const late = AbortSignal.timeout(deadlineMs);
  const stopped = AbortSignal.any([installing.signal, late]);
  const kill = (): void => child.kill();
  stopped.addEventListener("abort", kill, { once: true });
  if (stopped.aborted) kill();
  try {
    child.stdin.on("error", () => undefined).end(JSON.stringify(packages));
    const tail: string[] = [];
    const redact = createRedactor(index.secrets);
    const [exit, unpacked, resolved] = await Promise.all([
      child.exited,
      unpack(child, target, maxBytes),
      readLock(child.events),
      readLogLines(child.stderr, (said) => {
        const line = redact.text(said).slice(0, shownChars);
        tail.push(line);
        if (tail.length > tailLines) tail.shift();
        onLine(line);
      }),
    ]);
    const cpu_ms = exit.cpu_ms;
    if (installing.signal.aborted) return { cpu_ms, fault: "The install was stopped." };
    if (late.aborted) return { cpu_ms, fault: `The install did not end within ${deadlineMs / 1000} s.` };
    // A failed install leaves a truncated archive; pip's own error says more.
    const isRefused = "fault" in unpacked && !unpacked.isCut;
    const fault = isRefused ? null : exitFault(exit, tail, maxBytes);
    if (fault !== null) return { cpu_ms, fault: packages.lock === null ? fault : `${lockedFault}\n${fault}` };
    return { cpu_ms, ...withLock(unpacked, packages.lock ?? resolved) };
  } finally {
    stopped.removeEventListener("abort", kill);
    kill();
    child.events.destroy();
  }
}

const lockedFault =
  "The version's locked packages can't be had as they were when it was built. Publish it again to lock those of now.";

type Network = { egress: string[] | null; note: string | null } | { fault: string };

function networkOf({ hasEgress, report }: Sandbox, { hosts, paths }: Index): Network {
  const hidden = paths.find((path) => path.startsWith("/tmp/"));
  if (hidden !== undefined) return { fault: `${hidden} can't be read by an install: its sandbox has its own /tmp.` };
  if (hosts.length === 0) return { egress: null, note: null };
  if (hasEgress) return { egress: hosts, note: null };
  const level = `sandbox level ${report.level} (${report.name})`;
  // Landlock's filter of system calls has no sockets, at whatever level it is.
  if (report.level === 0 && !report.layers.includes("seccomp"))
    return { egress: null, note: `At ${level} this install has the machine's whole network, not only the index.` };
  const cure = "Run the worker at level 2 or above, or give it wheels on disk with PIP_NO_INDEX=1 and PIP_FIND_LINKS.";
  return { fault: `At ${level} an install has no network and can't reach the package index. ${cure}` };
}

function withLock(unpacked: Unpacked, lock: string | null): { bytes: number; lock: string } | { fault: string } {
  if ("fault" in unpacked) return { fault: unpacked.fault };
  if (lock === null) return { fault: "The installer's lock can't be used: it isn't like a list of packages." };
  return { bytes: unpacked.bytes, lock };
}

type Unpacked = { bytes: number } | { fault: string; isCut: boolean };

async function unpack(child: SandboxProcess, target: string, maxBytes: number): Promise<Unpacked> {
  try {
    const bytes = await unpackArchive(child.stdout, target, { ...archiveLimits, bytes: maxBytes });
    return bytes > maxBytes ? { fault: tooLarge(maxBytes), isCut: false } : { bytes };
  } catch (error) {
    child.kill();
    child.stdout.resume();
    if (error instanceof ArchiveFault) return archiveFault(error, maxBytes);
    throw error;
  }
}

function archiveFault({ code, message }: ArchiveFault, maxBytes: number): Unpacked {
  const fault = code === "bytes" ? tooLarge(maxBytes) : `The install's archive can't be used: ${message}.`;
  return { fault, isCut: code === "truncated" };
}

const tooLarge = (maxBytes: number): string =>
  `The packages take more than ${maxBytes} bytes (ENVIRONMENT_MAX_BYTES of the worker).`;

const noWheel = /No matching distribution found/;
const wheelsOnly = "\nOnly wheels for this Python are installed, no source archives.";

/** Before its errors pip writes of its tries to reach the index, of which an error's first line should not be one. */
const errorsFirst = (lines: readonly string[]): string[] =>
  lines.toSorted((one, other) => Number(isPipError(other)) - Number(isPipError(one)));
const isPipError = (line: string): boolean => line.trimStart().startsWith("ERROR:");

/** Returns why the install failed; null when pip succeeded and its folder was written to stdout. */
function exitFault({ code, signal, limit }: SandboxExit, tail: readonly string[], maxBytes: number): string | null {
  if (code === 0) return null;
  const words = errorsFirst(tail).join("\n") + (tail.some((line) => noWheel.test(line)) ? wheelsOnly : "");
  if (limit === "memory" || limit === "disk" || /No space left on device|Errno 2[78]\]/.test(words))
    return tooLarge(maxBytes);
  if (/No module named '?pip/.test(words))
    return "This worker's Python has no pip. Install it, e.g. Debian's python3-pip.";
  if (limit !== null) return `The install went over its limit (${limit}).`;
  return words || `The installer ${signal === null ? `exited with ${code}` : `was ended by ${signal}`}.`;
}
