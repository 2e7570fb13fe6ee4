import { call } from "./client.ts";
import { waitFor } from "./wait-for.ts";

export type Daemon = {
  version: string;
  desired: string;
  status: string;
  worker_id: string | null;
  pid: number | null;
  restarts: number;
  last_exit: { code: number | null; signal: string | null; reason: string | null } | null;
  health: { state: string; busy: boolean; last_progress_at: string | null };
  previous_version: string | null;
  in_flight: number;
  mailbox_depth: number;
};
export type Controlled = { changed: boolean; daemon: Daemon; run_id: string | null; action: string };

/** POST …/control, which must be answered with 200. */
export async function control(url: string, agent_id: string, body: object = {}, wait = 20): Promise<Controlled> {
  const path = `/v1/daemon/${agent_id}/control?wait=${wait}`;
  const answer = await call(url, "POST", path, { agent_id, ...body });
  if (answer.status !== 200) throw new Error(`control: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as unknown as Controlled;
}

export async function readDaemon(url: string, agent_id: string): Promise<Daemon> {
  return (await call(url, "GET", `/v1/daemon/${agent_id}/status`)).body as unknown as Daemon;
}

/** Waits until a daemon is as `is` says. */
export async function daemonThat(
  url: string,
  agent_id: string,
  is: (daemon: Daemon) => boolean,
  timeoutMs = 15_000,
): Promise<Daemon> {
  let last: Daemon | null = null;
  return waitFor(async () => {
    last = await readDaemon(url, agent_id);
    return is(last) ? last : null;
  }, timeoutMs).catch((error: unknown) => {
    throw new Error(`${String(error)}; the daemon: ${JSON.stringify(last)}`, { cause: error });
  });
}

/** Every message of a daemon's log, oldest first, with its stream before it. */
export async function readLog(url: string, agent_id: string): Promise<string[]> {
  const { body } = await call(url, "GET", `/v1/daemon/${agent_id}/logs?limit=1000`);
  return (body["data"] as { stream: string; message: string }[]).map(({ stream, message }) => `${stream}: ${message}`);
}
