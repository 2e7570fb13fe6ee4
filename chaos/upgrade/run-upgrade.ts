import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findBubblewrap } from "../../dev/bubblewrap.ts";
import { freePort } from "../../dev/free-port.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { cacheDir, reachableFolder } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";
import { deployMigrations } from "../../prisma/deploy.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { type Close, closeInReverse } from "../../shared/platform/lifecycle/close-in-reverse.ts";
import { type Member, startMember } from "../stack/member.ts";
import { builtMembers, type Commands } from "../stack/open-stack.ts";
import { openBalancer } from "./balance.ts";
import { buildVersion, deployVersion } from "./build-version.ts";
import { type Load, startClients } from "./load.ts";

export type Upgrade = Load & { from: string; applied: string[]; ended: Record<string, number> };

const settings = {
  HOST: "127.0.0.1",
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 3).toString("base64")}`,
  LOG_LEVEL: "info",
  // As the chart sets it, shorter.
  SHUTDOWN_NOTICE_MS: "1500",
  SHUTDOWN_GRACE_MS: "2000",
  WORKER_SLOTS: "16",
  SANDBOX_MIN_LEVEL: "0",
};
const settleMs = 5_000;
const endWithinMs = 60_000;

/**
 * Starts a commit's version with two APIs and two workers, brings load on it, applies this version's migrations, and replaces
 * each process by one of this version, an API and then a worker at a time. Returns what the clients saw.
 */
export async function runUpgrade(commit: string, clients: number): Promise<Upgrade> {
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-chaos"), "upgrade-"));
  chmodSync(directory, 0o711);
  const opened: Close[] = [() => Promise.resolve(rmSync(directory, { recursive: true, force: true }))];
  const opens = <T extends { close(): Promise<void> | void }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  try {
    const version = await buildVersion(commit);
    const postgres = opens(await startPostgres({ dataDir: directory }));
    const redis = opens(await startRedis({ dataDir: directory, cacheDir: cacheDir() }));
    await deployVersion(version, postgres.url);
    const bwrap = await findBubblewrap(cacheDir());
    const urls = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const env = { PATH: readEnv()["PATH"], ...settings, ...urls, ...(bwrap && { BWRAP: bwrap }) };
    const members: Member[] = [];
    const start = async (
      commands: Commands,
      role: "api" | "worker",
      own: Record<string, string> = {},
    ): Promise<Member> => {
      const ready = role === "api" ? /"msg":"api ready"/ : /"msg":"worker ready"/;
      const options = {
        name: role,
        command: commands[role],
        env: { ...env, ...own },
        logFile: join(directory, "log"),
        ready,
      };
      const member = opens(startMember(options));
      members.push(member);
      await member.ready();
      return member;
    };
    const balancer = opens(openBalancer());
    const startApi = async (commands: Commands): Promise<{ url: string; member: Member }> => {
      const PORT = String(await freePort());
      const [member, url] = [await start(commands, "api", { PORT }), `http://127.0.0.1:${PORT}`];
      balancer.add(url);
      return { url, member };
    };
    const old = { apis: [await startApi(version.commands), await startApi(version.commands)] };
    const workers = [await start(version.commands, "worker"), await start(version.commands, "worker")];

    const driven = await startClients(balancer, clients);
    const { load } = driven;
    await sleep(settleMs);
    load.stage = "migrations";
    const { applied } = await deployMigrations(postgres.url);
    await sleep(settleMs);
    load.stage = "APIs";
    for (const { url, member } of old.apis) {
      await startApi(builtMembers);
      await member.close();
      balancer.remove(url);
      await sleep(settleMs / 2);
    }
    load.stage = "workers";
    for (const worker of workers) {
      await start(builtMembers, "worker");
      await worker.close();
      await sleep(settleMs / 2);
    }
    await driven.stop();
    const ended = await endsOf(postgres.url, load.runs);
    if (load.runs.length === 0) load.faults.push("no run was accepted");
    for (const member of members)
      if (member.surprises() > 0) load.faults.push(`${member.name}: ended by itself ${member.surprises()} times`);
    return { ...load, from: version.commit, applied, ended };
  } finally {
    await closeInReverse(opened);
  }
}

/** How the runs ended, once all have. */
async function endsOf(databaseUrl: string, ids: readonly string[]): Promise<Record<string, number>> {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    for (const latest = performance.now() + endWithinMs; ; await sleep(500)) {
      const { rows } = await sql.query<{ status: string; count: number }>(
        "SELECT status::text, count(*)::int AS count FROM runs WHERE id = ANY($1) GROUP BY 1 ORDER BY 1",
        [ids],
      );
      const areOver = rows.every(({ status }) => !["queued", "running", "scheduled"].includes(status));
      if (areOver || performance.now() > latest)
        return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    }
  } finally {
    await sql.end();
  }
}
