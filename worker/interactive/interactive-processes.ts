import type { Log } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimingWorker } from "../../shared/store/runs/queue/claim-run.ts";
import { renewProcessLeases, releaseProcess } from "../../shared/store/threads/process-leases.ts";
import type { Adapter, AgentRequest } from "../adapters/adapter.ts";
import { installRequirements, withInstall } from "../adapters/python/install-requirements.ts";
import type { Frame } from "../channel/frame-schema.ts";
import type { DaemonHost } from "../daemons/daemon-host.ts";
import type { Environments } from "../environments/environments.ts";
import { chooseEvicted } from "./choose-evicted.ts";
import { openInteractiveProcess, type InteractiveProcess } from "./interactive-process.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type InteractiveProcesses = {
  /** By adapter_type: run runs of lifecycle `interactive`. */
  adapters: ReadonlyMap<string, Adapter>;
  /** Renews this worker's leases of its threads, and ends processes that have had no run for too long. */
  renew(): Promise<void>;
  close(): Promise<void>;
};

/** A thread's process is idle most of the time. Beyond this many, an idle one is ended. */
const processesPerSlot = 4;

type Options = {
  db: Db;
  log: Pick<Log, "warn">;
  card: Pick<ClaimingWorker, "id" | "leaseMs">;
  hosts: ReadonlyMap<string, DaemonHost>;
  environments: Environments;
  /** How many runs this worker executes at a time. */
  slots: number;
};

/**
 * The processes that stay with their threads. A thread's runs come one at a time and all to the worker that keeps its
 * process, which the claim sees to; when that worker is gone, the next run starts anew from the thread's history and state.
 */
export function openInteractiveProcesses(options: Options): InteractiveProcesses {
  const { db, log, card, hosts, environments, slots } = options;
  const processes = new Map<string, InteractiveProcess>();

  function add(threadId: string, process: InteractiveProcess): void {
    processes.set(threadId, process);
    void process.over.then(async () => {
      if (processes.get(threadId) !== process) return;
      processes.delete(threadId);
      await releaseProcess(db, card.id, threadId).catch((error: unknown) =>
        log.warn({ thread_id: threadId, err: errorText(error) }, "a thread is held until its lease is over"),
      );
    });
  }
  async function replace(threadId: string): Promise<void> {
    const old = processes.get(threadId);
    processes.delete(threadId);
    old?.kill();
    await old?.over;
  }
  const leaving = new Set<InteractiveProcess>();
  function makeRoom(userId: string): void {
    const staying = [...processes.values()].filter((process) => !leaving.has(process));
    const evicted = staying.length < slots * processesPerSlot ? null : chooseEvicted(staying, userId);
    if (!evicted) return;
    leaving.add(evicted);
    void evicted.over.then(() => leaving.delete(evicted));
    evicted.kill();
  }
  async function* run(host: DaemonHost, request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    const { thread_id } = request;
    if (thread_id === null) throw new Error("An interactive run has a thread.");
    const running = processes.get(thread_id);
    if (running?.fits(request)) return yield* running.run(request, signal);
    await replace(thread_id);
    const installed = yield* installRequirements(environments, request, signal);
    if (installed === null) return;
    makeRoom(request.user_id);
    const process = await openInteractiveProcess(host, request, { packages: installed.packages, signal });
    add(thread_id, process);
    yield* installed.opening;
    for await (const frame of withInstall(process.run(request, signal), installed))
      if (frame.type !== "started") yield frame;
  }

  return {
    adapters: new Map(
      [...hosts].map(([type, host]) => [type, { run: (request, signal) => run(host, request, signal) }]),
    ),
    renew: () => renewLeases(options, processes),
    async close() {
      const open = [...processes.values()];
      for (const process of open) process.kill();
      await Promise.all(open.map((process) => process.over));
    },
  };
}

async function renewLeases({ db, card }: Options, processes: Map<string, InteractiveProcess>): Promise<void> {
  const now = performance.now();
  for (const process of processes.values())
    if (now - (process.idleSince() ?? now) > process.idleTimeoutMs || process.isBusyWhileIdle()) process.kill();
  if (processes.size === 0) return;
  const asked = [...processes];
  const renewed = new Set(await renewProcessLeases(db, card, [...processes.keys()]));
  // A process that is at work belongs to a run with a lease of its own. The thread may have been released late, for an earlier process.
  for (const [threadId, process] of asked) if (!renewed.has(threadId) && process.idleSince() !== null) process.kill();
}
