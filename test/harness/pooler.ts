import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDebianProgram } from "../../dev/debian-package.ts";
import { freePort } from "../../dev/free-port.ts";
import { cacheDir, serviceUser } from "../../dev/reachable.ts";
import { startService } from "../../dev/start-service.ts";

export type Pooler = { url: string; close(): Promise<void> };

/**
 * Starts Debian's pgbouncer in transaction mode before a database. Returns null, with the reason on stderr, where there is no
 * such package. `connections`: how many connections to Postgres all clients share.
 */
export async function startPooler(databaseUrl: string, connections: number): Promise<Pooler | null> {
  const program = await findDebianProgram("pgbouncer", "usr/sbin/pgbouncer", cacheDir()).catch(() => null);
  if (program === null) {
    process.stderr.write("There is no pgbouncer here: apt has no such package.\n");
    return null;
  }
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const [name, user] = [pathname.slice(1), decodeURIComponent(username)];
  const dir = mkdtempSync(join(tmpdir(), "runfleet-pooler-"));
  chmodSync(dir, 0o755);
  const own = await freePort();
  const config = join(dir, "pgbouncer.ini");
  writeFileSync(
    config,
    [
      "[databases]",
      `${name} = host=${hostname} port=${port} user=${user} password=${decodeURIComponent(password)}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${own}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${connections}`,
      "max_client_conn = 200",
      "",
    ].join("\n"),
  );
  const service = await startService({
    name: "pgbouncer",
    file: program.file,
    args: [config],
    options: { cwd: dir, env: { LD_LIBRARY_PATH: program.libraryPath ?? "" }, ...serviceUser() },
    ready: /process up/,
    record: join(dir, "process.json"),
    stopSignals: [["SIGINT", 2_000]],
  });
  return {
    url: `postgresql://${username}@127.0.0.1:${own}/${name}`,
    async close() {
      await service.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
