import type { Log } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimingWorker } from "../../shared/store/runs/claim-run.ts";
import { keepSessions, leaveSession } from "../../shared/store/threads/keep-sessions.ts";
import type { Adapter, AgentRequest } from "../adapters/adapter.ts";
import { installRequirements, withInstall } from "../adapters/python/install-requirements.ts";
import type { Frame } from "../channel/frame-schema.ts";
import type { DaemonHost } from "../daemons/daemon-host.ts";
import type { Environments } from "../environments/environments.ts";
import { chooseEvicted } from "./choose-evicted.ts";
import { openSession, type Session } from "./session.ts";

export type Sessions = {
  /** By adapter_type: play runs of lifecycle `interactive`. */
  adapters: ReadonlyMap<string, Adapter>;
  /** Prolongs this worker's hold on its threads, and ends the processes that nobody spoke to for too long. */
  keep(): Promise<void>;
  close(): Promise<void>;
};

/** A thread's process is idle for most of its time. Beyond this many one that is idle goes. */
const sessionsPerSlot = 4;

type SessionsOptions = {
  db: Db;
  log: Pick<Log, "warn">;
  card: Pick<ClaimingWorker, "id" | "leaseMs">;
  hosts: ReadonlyMap<string, DaemonHost>;
  environments: Environments;
  /** Runs that this worker plays at a time. */
  slots: number;
};

/**
 * The processes that stay with their threads. A thread's runs come one at a time and all to the worker that keeps its
 * process, which the claim sees to; when that worker is gone, the next run starts anew from the thread's history and state.
 */
export function openSessions(options: SessionsOptions): Sessions {
  const { db, log, card, hosts, environments, slots } = options;
  const sessions = new Map<string, Session>();

  function add(threadId: string, session: Session): void {
    sessions.set(threadId, session);
    void session.over.then(async () => {
      if (sessions.get(threadId) !== session) return;
      sessions.delete(threadId);
      await leaveSession(db, card.id, threadId).catch((error: unknown) =>
        log.warn({ thread_id: threadId, err: String(error) }, "a thread is held until its lease is over"),
      );
    });
  }
  async function replace(threadId: string): Promise<void> {
    const old = sessions.get(threadId);
    sessions.delete(threadId);
    old?.kill();
    await old?.over;
  }
  const leaving = new Set<Session>();
  function makeRoom(userId: string): void {
    const staying = [...sessions.values()].filter((session) => !leaving.has(session));
    const evicted = staying.length < slots * sessionsPerSlot ? null : chooseEvicted(staying, userId);
    if (!evicted) return;
    leaving.add(evicted);
    void evicted.over.then(() => leaving.delete(evicted));
    evicted.kill();
  }
  async function* play(host: DaemonHost, request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    const { thread_id } = request;
    if (thread_id === null) throw new Error("An interactive run has a thread.");
    const live = sessions.get(thread_id);
    if (live?.fits(request)) return yield* live.play(request, signal);
    await replace(thread_id);
    const installed = yield* installRequirements(environments, request, signal);
    if (installed === null) return;
    makeRoom(request.user_id);
    const session = await openSession(host, request, { packages: installed.packages, signal });
    add(thread_id, session);
    yield* installed.opening;
    for await (const frame of withInstall(session.play(request, signal), installed))
      if (frame.type !== "started") yield frame;
  }

  return {
    adapters: new Map(
      [...hosts].map(([type, host]) => [type, { run: (request, signal) => play(host, request, signal) }]),
    ),
    keep: () => keepHold(options, sessions),
    async close() {
      const open = [...sessions.values()];
      for (const session of open) session.kill();
      await Promise.all(open.map((session) => session.over));
    },
  };
}

async function keepHold({ db, card }: SessionsOptions, sessions: Map<string, Session>): Promise<void> {
  const now = performance.now();
  for (const session of sessions.values())
    if (now - (session.idleSince() ?? now) > session.idleTimeoutMs || session.isBusyWhileIdle()) session.kill();
  if (sessions.size === 0) return;
  const asked = [...sessions];
  const kept = new Set(await keepSessions(db, card, [...sessions.keys()]));
  for (const [threadId, session] of asked) if (!kept.has(threadId)) session.kill();
}
