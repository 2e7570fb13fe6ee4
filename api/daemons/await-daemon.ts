import { setTimeout as sleep } from "node:timers/promises";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import type { DaemonRecord } from "../../shared/schemas/daemon.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { readDaemon } from "../../shared/store/daemons/read-daemon.ts";
import type { ApiContext } from "../context.ts";

const pollMs = 100;

/** Throws `not_found` when there is no such agent. */
export async function readDaemonOf(
  { db }: Pick<ApiContext, "db">,
  agent_id: string,
  owner: Owner,
): Promise<DaemonRecord> {
  const daemon = await readDaemon(db, agent_id, owner);
  if (!daemon) throw notFound("agent", agent_id);
  return daemon;
}

/** Returns the daemon as soon as `enough` is true of it, at the latest after `waitMs`. */
export async function awaitDaemon(
  deps: Pick<ApiContext, "db" | "leaving">,
  agent_id: string,
  enough: (daemon: DaemonRecord) => boolean,
  waitMs: number,
): Promise<DaemonRecord> {
  const end = performance.now() + waitMs;
  for (;;) {
    const daemon = await readDaemonOf(deps, agent_id, null);
    if (enough(daemon) || performance.now() >= end || deps.leaving.aborted) return daemon;
    await sleep(pollMs);
  }
}
