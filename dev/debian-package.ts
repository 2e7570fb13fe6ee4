import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readEnv } from "../shared/platform/config/env.ts";
import { findProgram } from "./find-program.ts";
import { reachableFolder } from "./reachable.ts";

const run = promisify(execFile);

/**
 * Returns the directory of an unpacked package of this Debian or Ubuntu, with its dependencies that aren't installed. The
 * directory is in `cacheDir`, or filled by apt, which checks signatures: without root, and without installing anything. Every
 * user can reach it. Returns null where there is no apt. Throws when apt can't get the package. Several callers may do this
 * at once.
 */
export async function unpackDebianPackage(name: string, cacheDir: string): Promise<string | null> {
  const cache = reachableFolder(cacheDir);
  const unpacked = join(cache, `${name}-${process.arch}`);
  if (existsSync(unpacked)) return unpacked;
  const path = readEnv()["PATH"] ?? "";
  if (!findProgram(["apt-get"], path) || !findProgram(["dpkg-deb"], path)) return null;
  const aside = await mkdtemp(join(cache, "new-"));
  try {
    const downloads = join(aside, "downloads");
    const root = join(aside, "root");
    await mkdir(downloads);
    await mkdir(root, { mode: 0o755 });
    await downloadWithNeeded(name, aside, downloads);
    for (const file of await readdir(downloads)) await run("dpkg-deb", ["-x", join(downloads, file), root]);
    await chmod(root, 0o755);
    await rename(root, unpacked);
  } catch (error) {
    // Another process may have unpacked the package first.
    if (!existsSync(unpacked)) throw new Error(`apt can't get the package ${name}`, { cause: error });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return unpacked;
}

/** A program and, for LD_LIBRARY_PATH, where its libraries are; undefined when they are installed. */
export type Program = { file: string; libraryPath?: string };

/** Returns a program of an unpacked package; null where there is no apt. Throws as `unpackDebianPackage` does. */
export async function findDebianProgram(name: string, program: string, cacheDir: string): Promise<Program | null> {
  const root = await unpackDebianPackage(name, cacheDir);
  return root === null ? null : { file: join(root, program), libraryPath: libraryDirectories(root).join(":") };
}

/** Debian's multiarch directories, e.g. usr/lib/x86_64-linux-gnu. */
function libraryDirectories(root: string): string[] {
  return ["usr/lib", "lib"].flatMap((part) => {
    const found = listDirectory(join(root, part)).filter((entry) => entry.includes("-linux-gnu"));
    return found.map((entry) => join(root, part, entry));
  });
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Uses the system's package lists; where they are missing or out of date, downloads new ones to `aside`. */
async function downloadWithNeeded(name: string, aside: string, downloads: string): Promise<void> {
  // As root, apt would download as the user _apt, which can't write to `downloads`.
  const options = ["-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=2"];
  try {
    await download(name, options, downloads);
  } catch {
    const own = [
      ...options,
      "-o",
      `Dir::State::lists=${join(aside, "lists")}`,
      "-o",
      `Dir::Cache=${join(aside, "cache")}`,
    ];
    await mkdir(join(aside, "lists", "partial"), { recursive: true });
    await mkdir(join(aside, "cache", "archives", "partial"), { recursive: true });
    await run("apt-get", [...own, "-q", "update"], { timeout: 120_000 });
    await download(name, own, downloads);
  }
}

async function download(name: string, options: string[], downloads: string): Promise<void> {
  // A simulated installation names the packages that are needed and not installed yet: lines "Inst <package> (…".
  const simulate = [...options, "--simulate", "--no-install-recommends", "install", name];
  const { stdout } = await run("apt-get", simulate, { env: { ...readEnv(), LC_ALL: "C" } });
  const needed = [...stdout.matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  await run("apt-get", [...options, "download", ...new Set([name, ...needed])], { cwd: downloads, timeout: 120_000 });
}
