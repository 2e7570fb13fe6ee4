import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readEnv } from "../shared/config/env.ts";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Fetches Debian or Ubuntu packages with `apt-get download` and unpacks them into one folder of the cache: nothing is
 * installed and no right is needed. Several callers at once are safe: each unpacks aside, the first to finish names it.
 * Null where apt is not, or can't fetch.
 */
export async function unpackDebianPackages(cacheDir: string, name: string, packages: string[]): Promise<string | null> {
  const target = join(cacheDir, name);
  if (existsSync(target)) return target;
  const aside = mkdtempSync(join(cacheDir, `${name}.`));
  try {
    await download(aside, packages);
    const unpacked = join(aside, "unpacked");
    mkdirSync(unpacked, { mode: 0o755 });
    for (const file of readdirSync(aside).filter((entry) => entry.endsWith(".deb")))
      await run("dpkg-deb", ["-x", join(aside, file), unpacked]);
    renameSync(unpacked, target);
  } catch {
    // Another caller was first, or there is no apt here: what stands decides.
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return existsSync(target) ? target : null;
}

/** With the machine's package lists, else with lists of our own. */
async function download(folder: string, packages: string[]): Promise<void> {
  const env = { ...readEnv(), LC_ALL: "C" };
  try {
    await run("apt-get", ["download", "-qq", ...packages], { cwd: folder, env, timeout: 120_000 });
  } catch {
    const lists = join(folder, "lists");
    mkdirSync(join(lists, "partial"), { recursive: true });
    mkdirSync(join(folder, "archives", "partial"), { recursive: true });
    const own = ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${folder}`, "-o", "APT::Sandbox::User=root"];
    await run("apt-get", [...own, "update", "-qq"], { cwd: folder, env, timeout: 180_000 });
    await run("apt-get", [...own, "download", "-qq", ...packages], { cwd: folder, env, timeout: 120_000 });
  }
}
