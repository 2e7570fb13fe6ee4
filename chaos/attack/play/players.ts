import type { AgentRequest } from "../../../worker/adapters/adapter.ts";
import { type DaemonProcess, DaemonLost, openDaemonProcess } from "../../../worker/daemons/daemon-process.ts";
import type { DaemonHost } from "../../../worker/daemons/daemon-host.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { openInteractiveProcess, type InteractiveProcess } from "../../../worker/interactive/interactive-process.ts";
import type { Attack } from "../attack.ts";
import type { Ground } from "./open-machine.ts";
import { type Played, playRun } from "./play-run.ts";
import { isNode, requestFor } from "./request.ts";

/** Plays the runs of one attack's version. */
export type Player = {
  play(step: "probe" | "attack"): Promise<Played>;
  /** Ends what stays between its runs. Rejects when it doesn't end. */
  close(): Promise<void>;
};

const endMs = 3_000;

export function openPlayer(ground: Ground, attack: Attack): Player {
  const stays = /(daemon|interactive)$/.exec(attack.kind)?.[0];
  const language = isNode(attack.kind) ? "node" : "python";
  if (stays === undefined) {
    const adapter = ground.adapters.get(attack.kind);
    if (!adapter) throw new Error(`Level ${ground.level} can't run ${attack.kind}.`);
    const play = (step: "probe" | "attack"): Promise<Played> =>
      playRun((signal) => adapter.run(requestFor(attack, step), signal), attack.timeoutMs);
    return { play, close: () => Promise.resolve() };
  }
  const host = ground.hosts.get(language);
  if (!host) throw new Error(`Level ${ground.level} can't run ${attack.kind}.`);
  return stays === "daemon" ? openDaemon(host, attack) : openThread(host, attack);
}

/** One that has ended is started anew by its next message. */
function openDaemon(host: DaemonHost, attack: Attack): Player {
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
    play: (step) => playRun((signal) => deliver(requestFor(attack, step), signal), attack.timeoutMs),
    async close() {
      live?.daemon.kill();
      if (live) await inTime(live.daemon.exited, "The daemon's process");
    },
  };
}

const killed = { code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null } as const;

function openThread(host: DaemonHost, attack: Attack): Player {
  let live: { session: InteractiveProcess; isOver: boolean } | null = null;
  async function* play(request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
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
    play: (step) => playRun((signal) => play(requestFor(attack, step), signal), attack.timeoutMs),
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
