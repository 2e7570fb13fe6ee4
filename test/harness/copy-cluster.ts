import { execFile } from "node:child_process";
import { appendFile, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { serviceUser } from "../../dev/reachable.ts";

type Copy = {
  /** A superuser's, of the server that runs on `from`. */
  url: string;
  /** `dataDir`s of `startPostgres`. */
  from: string;
  to: string;
  /** The copy follows the server as its standby. */
  isStandby?: boolean;
};

/** Copies a running server's files, as pg_basebackup and snapshots of disks do: between a backup's start and its stop. */
export async function copyCluster({ url, from, to, isStandby = false }: Copy): Promise<void> {
  const [source, target] = [join(from, "postgres"), join(to, "postgres")];
  await mkdir(target, { recursive: true, mode: 0o711 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('copy', true)");
    await copy(join(source, "password"), target);
    await copy(join(source, "cluster"), target);
    const { rows } = await client.query<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)");
    // What was written until the stop.
    await copy(join(source, "cluster", "pg_wal"), join(target, "cluster"));
    await give(join(target, "cluster", "backup_label"), rows[0]?.label ?? "");
  } finally {
    await client.end();
  }
  if (!isStandby) return;
  await give(join(target, "cluster", "standby.signal"), "");
  await appendFile(join(target, "cluster", "postgresql.auto.conf"), `primary_conninfo = '${url}'\n`);
}

/** With owners and modes. Links are followed, since a cluster may lie elsewhere. */
const copy = (from: string, to: string): Promise<unknown> => promisify(execFile)("cp", ["-a", "-H", from, to]);

async function give(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  const user = serviceUser();
  if (user) await chown(path, user.uid, user.gid);
}
