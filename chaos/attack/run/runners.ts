import type { AgentRequest } from "../../../worker/adapters/adapter.ts";
import { type DaemonProcess, DaemonLost, openDaemonProcess } from "../../../worker/daemons/daemon-process.ts";
import type { DaemonHost } from "../../../worker/daemons/daemon-host.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { openInteractiveProcess, type InteractiveProcess } from "../../../worker/interactive/interactive-process.ts";
import type { Attack } from "../attack.ts";
import type { LevelUnderTest } from "./open-levels.ts";
import { type Executed, executeRun } from "./execute-run.ts";
import { isNode, requestFor } from "./request.ts";

/** Executes the runs of one attack's version. */
export type Runner = {
  run(step: "probe" | "attack"): Promise<Executed>;
  /** Ends the process that stays between runs. Rejects when the process doesn't end. */
  close(): Promise<void>;
};

const endMs = 3_000;
/** An honest run has this long: how fast the machine is just now is not what is tried. An attack is cut sooner. */
const probeMs = 8_000;
export const timeoutOf = ({ timeoutMs }: Pick<Attack, "timeoutMs">, step: "probe" | "attack"): number =>
  step === "probe" ? Math.max(probeMs, timeoutMs) : timeoutMs;

export function openRunner(level: LevelUnderTest, attack: Attack): Runner {
  const stays = /(daemon|interactive)$/.exec(attack.kind)?.[0];
  const language = isNode(attack.kind) ? "node" : "python";
  if (stays === undefined) {
    const adapter = level.adapters.get(attack.kind);
    if (!adapter) throw new Error(`Level ${level.level} can't run ${attack.kind}.`);
    const run = (step: "probe" | "attack"): Promise<Executed> =>
      executeRun((signal) => adapter.run(requestFor(attack, step), signal), timeoutOf(attack, step));
    return { run, close: () => Promise.resolve() };
  }
  const host = level.hosts.get(language);
  if (!host) throw new Error(`Level ${level.level} can't run ${attack.kind}.`);
  return stays === "daemon" ? openDaemon(host, attack) : openThread(host, attack);
}

/** A daemon that has ended is started again by its next message. */
function openDaemon(host: DaemonHost, attack: Attack): Runner {
  let live: { daemon: DaemonProcess; ready: Promise<void>; isOver: boolean } | null = null;
  async function start(request: AgentRequest): Promise<NonNullable<typeof live>> {
    const { agent_id, user_id, version, code, entrypoint, resources } = request;
    const given = { agent_id, user_id, version, code, entrypoint, resources, env: {}, state_snapshot: "" };
    let onReady = (): void => {};
    const ready = new Promise<void>((resolve) => (onReady = resolve));
    const child = await host({ ...given, lifecycle: "daemon", packages: null, egress: null });
    const events = { onReady, onAlive: () => {}, onOwn: () => {}, onPrint: () => null };
    const started = { daemon: openDaemonProcess(child, events), ready, isOver: false };
    void started.daemon.exited.then(() => (started.isOver = true));
    return started;
  }
  async function* deliver(request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    if (live === null || live.isOver) live = await start(request);
    const { daemon, ready } = live;
    let isReady = false;
    signal.addEventListener("abort", () => !isReady && daemon.kill(), { once: true });
    await Promise.race([ready, daemon.exited]);
    isReady = true;
    try {
      yield* daemon.deliver(request, signal);
    } catch (error) {
      if (!(error instanceof DaemonLost)) throw error;
      yield { type: "exit", ...(error.exit ?? killed) };
    }
  }
  return {
    run: (step) => executeRun((signal) => deliver(requestFor(attack, step), signal), timeoutOf(attack, step)),
    async close() {
      live?.daemon.kill();
      if (live) await inTime(live.daemon.exited, "The daemon's process");
    },
  };
}

const killed = { code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null } as const;

function openThread(host: DaemonHost, attack: Attack): Runner {
  let live: { session: InteractiveProcess; isOver: boolean } | null = null;
  async function* run(request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    if (live === null || live.isOver) {
      const opened = {
        session: await openInteractiveProcess(host, request, { packages: null, signal }),
        isOver: false,
      };
      void opened.session.over.then(() => (opened.isOver = true));
      live = opened;
    }
    yield* live.session.run(request, signal);
  }
  return {
    run: (step) => executeRun((signal) => run(requestFor(attack, step), signal), timeoutOf(attack, step)),
    async close() {
      live?.session.kill();
      if (live) await inTime(live.session.over, "The thread's process");
    },
  };
}

async function inTime(ended: Promise<unknown>, who: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} didn't end within ${endMs} ms of its kill.`)), endMs);
  });
  await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}
