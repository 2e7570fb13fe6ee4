import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { lockDirectory } from "./lock-directory.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { reachableFolder, serviceUser } from "./reachable.ts";
import { endRecordedProcess } from "./recorded-process.ts";
import { type Service, ServiceDidNotStart, type ServiceProcess, startService } from "./start-service.ts";
import { errorText } from "../shared/platform/error-text.ts";

export type PostgresOptions = {
  /** The cluster is in its folder `postgres`, which is made when missing, and outlives restarts. */
  dataDir: string;
  /** false for throw-away data only: a crash of the machine may then damage the cluster. */
  fsync?: boolean;
  /** The URL of an earlier start, whose port is used again. */
  url?: string;
};

/** SIGINT is Postgres' fast shutdown. SIGQUIT is its immediate one, which needs recovery at the next start. */
const stopSignals: [NodeJS.Signals, number][] = [
  ["SIGINT", 4_000],
  ["SIGQUIT", 1_000],
];

/**
 * Starts a Postgres on a free loopback port, with a generated password. The caller creates the database that the URL names. A
 * server that a killed launcher left running on `dataDir` is ended first; Postgres then recovers by itself. Throws
 * ServiceDidNotStart, or an error when another process uses `dataDir`.
 */
export async function startPostgres(options: PostgresOptions): Promise<Service> {
  const dataDir = resolve(options.dataDir, "postgres");
  const fsync = options.fsync ?? true;
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const lock = await lockDirectory(dataDir);
  try {
    const record = join(dataDir, "process.json");
    await endRecordedProcess(record, stopSignals);
    const password = await readPassword(join(dataDir, "password"));
    const native = await findPostgresBinaries();
    const cluster = join(dataDir, "cluster");
    if (!existsSync(cluster)) await createCluster({ native, dataDir, password, fsync });
    // The server's process is gone (above), but Postgres would refuse to start if the file's pid was used again.
    await rm(join(cluster, "postmaster.pid"), { force: true });
    const wanted = options.url ? Number(new URL(options.url).port) : null;
    const { service, port } = await launch({ native, cluster: realpathSync(cluster), fsync, record, wanted });
    return {
      url: `postgresql://postgres:${password}@127.0.0.1:${port}/runfleet`,
      pid: service.pid,
      ended: service.ended,
      async close() {
        await service.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Reads the password, which is generated once. */
async function readPassword(file: string): Promise<string> {
  if (!existsSync(file)) await writeFile(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return (await readFile(file, "utf8")).trim();
}

type NewCluster = { native: string; dataDir: string; password: string; fsync: boolean };

/** Where Postgres' user can't reach `dataDir`, the cluster is in another folder, and `dataDir` has a link to it. */
async function createCluster(options: NewCluster): Promise<void> {
  const { dataDir, password } = options;
  // With the password in the identity, a dataDir that was removed and made again doesn't find the old cluster.
  const folder = reachableFolder(dataDir, `postgres ${dataDir} ${password}`);
  const cluster = join(folder, "cluster");
  if (!existsSync(cluster)) await initialise(folder, options);
  if (folder === dataDir) return;
  await rm(join(dataDir, "cluster"), { force: true });
  await symlink(cluster, join(dataDir, "cluster"));
}

/** initdb writes its files one by one, so it writes to a temporary folder; the finished cluster is moved by one rename. */
async function initialise(folder: string, { native, password, fsync }: NewCluster): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith("new-")) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  const user = serviceUser();
  const aside = await mkdtemp(join(folder, "new-"));
  const passwordFile = join(aside, "password");
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) await chown(passwordFile, user.uid, user.gid);
    if (user) await chown(aside, user.uid, user.gid);
    const args = ["-D", join(aside, "cluster"), "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    args.push("-E", "UTF8", "--no-locale", ...(fsync ? [] : ["--no-sync"]));
    await promisify(execFile)(join(native, "bin", "initdb"), args, { ...user, env: { LC_ALL: "C" }, cwd: aside });
    await rename(join(aside, "cluster"), join(folder, "cluster"));
  } catch (error) {
    throw new ServiceDidNotStart("initdb", errorText(error));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

type Launch = { native: string; cluster: string; fsync: boolean; record: string; wanted: number | null };

async function launch(at: Launch): Promise<{ service: ServiceProcess; port: number }> {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300", "timezone=UTC"];
  if (!at.fsync) settings.push("fsync=off", "synchronous_commit=off", "full_page_writes=off");
  for (let attempt = 1; ; attempt++) {
    const port = at.wanted ?? (await freePort());
    const command = {
      name: "postgres",
      file: join(at.native, "bin", "postgres"),
      args: ["-D", at.cluster, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      options: { ...serviceUser(), env: { LC_ALL: "C" }, cwd: "/" },
      ready: /database system is ready to accept (read-only )?connections/,
      record: at.record,
      stopSignals,
    };
    try {
      return { service: await startService(command), port };
    } catch (error) {
      // The port was taken meanwhile, or backends of a killed postmaster still hold its shared memory.
      const passing = error instanceof ServiceDidNotStart && /in use/.test(error.lastLines);
      if (!passing || attempt >= 10) throw error;
      await sleep(200);
    }
  }
}
