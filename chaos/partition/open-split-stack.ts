import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findBubblewrap } from "../../dev/bubblewrap.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { cacheDir, projectFolder, reachableFolder } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";
import { deployMigrations } from "../../prisma/deploy.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { type Close, closeInReverse } from "../../shared/platform/lifecycle/close-in-reverse.ts";
import { type Member, startMember } from "../stack/member.ts";
import { settings, leaseMs, withinBoot } from "../stack/open-stack.ts";
import { openForward } from "./forward.ts";
import type { Host } from "./hosts.ts";

/** Postgres and Redis in this namespace, and an API and a worker in each host. */
export type SplitStack = {
  databaseUrl: string;
  apiUrls: [string, string];
  apis: Member[];
  workers: Member[];
  leaseMs: number;
  /** True: the processes' logs stay when the stack is closed. */
  keepLog(keep: boolean): void;
  close(): Promise<void>;
};

const apiPort = 8_080;

/** `address`: where the hosts reach this namespace. */
export async function openSplitStack(address: string, hosts: readonly [Host, Host]): Promise<SplitStack> {
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-chaos"), "split-"));
  chmodSync(directory, 0o711);
  let keeps = true;
  const opened: Close[] = [() => (keeps ? undefined : rmSync(directory, { recursive: true, force: true }))];
  const opens = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  const seenFromHosts = async (url: string): Promise<string> => {
    const place = new URL(url);
    const forward = opens(await openForward(address, Number(place.port)));
    place.hostname = address;
    place.port = String(forward.port);
    return place.href;
  };
  try {
    const postgres = opens(await startPostgres({ dataDir: directory }));
    const redis = opens(await startRedis({ dataDir: directory, cacheDir: cacheDir() }));
    await deployMigrations(postgres.url);
    const bwrap = await findBubblewrap(cacheDir());
    const logFile = join(directory, "log");
    const env = {
      PATH: readEnv()["PATH"],
      ...settings(await seenFromHosts(postgres.url), await seenFromHosts(redis.url)),
      ...(bwrap && { BWRAP: bwrap }),
      CALLBACK_ALLOW_CIDRS: `${address}/32`,
      HOST: "0.0.0.0",
      PORT: String(apiPort),
      ALLOW_OPEN: "1",
      ALLOWED_HOSTS: hosts.map((host) => host.address).join(","),
    };
    const member = (role: "api" | "worker", host: Host): Member =>
      opens(
        startMember({
          name: `${role}-${host.name}`,
          through: host.enter,
          command: [join(projectFolder(), "dist", role, "main.js")],
          env,
          logFile,
          ready: role === "api" ? /"msg":"api ready"/ : /"msg":"worker ready"/,
        }),
      );
    const apis = hosts.map((host) => member("api", host));
    const workers = hosts.map((host) => member("worker", host));
    await withinBoot(Promise.all([...apis, ...workers].map((one) => one.ready())), logFile);
    const urlOf = (host: Host): string => `http://${host.address}:${apiPort}`;
    return {
      databaseUrl: postgres.url,
      apiUrls: [urlOf(hosts[0]), urlOf(hosts[1])],
      apis,
      workers,
      leaseMs,
      keepLog: (keep) => void (keeps = keep),
      close: () => closeInReverse(opened),
    };
  } catch (error) {
    await closeInReverse(opened);
    throw error;
  }
}
