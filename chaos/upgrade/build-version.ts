import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheDir, projectFolder, reachableFolder } from "../../dev/reachable.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import type { Commands } from "../stack/open-stack.ts";

const execute = promisify(execFile);
const most = { maxBuffer: 64 * 1024 * 1024 };

/** An earlier version, built in a folder of its own. */
export type BuiltVersion = { commit: string; commands: Commands; deploy: string };

/**
 * Builds the version of a commit, with its own packages where they differ from this version's, once for each commit: it stays in
 * the cache. Throws what git, npm or its build says.
 */
export async function buildVersion(commit: string): Promise<BuiltVersion> {
  const { stdout } = await execute("git", ["-C", projectFolder(), "rev-parse", "--verify", `${commit}^{commit}`]);
  const id = stdout.trim().slice(0, 12);
  const folder = join(reachableFolder(cacheDir()), `version-${id}`);
  if (!existsSync(folder)) {
    const aside = mkdtempSync(`${folder}-`);
    await build(id, aside);
    chmodSync(aside, 0o755);
    renameSync(aside, folder);
  }
  const main = (role: string): string[] => [join(folder, "dist", role, "main.js")];
  return {
    commit: id,
    commands: { api: main("api"), worker: main("worker") },
    deploy: join(folder, "dist/prisma/deploy-main.js"),
  };
}

async function build(commit: string, folder: string): Promise<void> {
  const project = projectFolder();
  const archive = join(folder, "version.tar");
  await execute("git", ["-C", project, "archive", "--output", archive, commit], most);
  await execute("tar", ["-xf", archive, "-C", folder]);
  const lockOf = (of: string): string => readFileSync(join(of, "package-lock.json"), "utf8");
  if (lockOf(folder) === lockOf(project) && existsSync(join(project, "node_modules")))
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  else await npm(folder, ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]);
  await npm(folder, ["run", "build"]);
}

async function npm(cwd: string, args: string[]): Promise<void> {
  await execute("npm", args, { ...most, cwd, env: { ...readEnv() } });
}

/** Applies a version's own migrations. */
export async function deployVersion({ deploy }: BuiltVersion, databaseUrl: string): Promise<void> {
  await execute(process.execPath, [deploy], { env: { PATH: readEnv()["PATH"], DATABASE_URL: databaseUrl } });
}
