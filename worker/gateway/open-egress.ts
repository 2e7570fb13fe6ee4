import type { CallAnswer, FromGateway, RecordedAnswer, ServedRun } from "../../shared/schemas/gateway.ts";
import { type Authority, createAuthority } from "./authority.ts";
import type { Egress, EgressListener, GatewayCalls, ListeningSocket } from "./egress.ts";
import { type GatewayStart, superviseGateway } from "./supervise-gateway.ts";
import type { GatewayProcess } from "./start-gateway.ts";

type Entry = {
  id: number;
  allow: string[];
  socket: ListeningSocket | null;
  /** Whose calls the sandbox's are. */
  calls: GatewayCalls | null;
  /** Settles the `endRun` that the gateway has not answered yet. */
  settle: ((fault?: Error) => void) | null;
};

const endRunMs = 5_000;
const noRun: CallAnswer = { kind: "refused", status: 403, code: "run_ended", reason: "The run has ended." };
const unavailable: CallAnswer = {
  kind: "refused",
  status: 503,
  code: "unavailable",
  reason: "The worker can't say whether the call may leave. Try again.",
};

export type OpenEgress = Egress & {
  /** Returns the pid of the running gateway; null when there is none. */
  gatewayPid(): number | null;
  /** Asks the gateway how many uncaught errors it has had. */
  faults(): Promise<number>;
  close(): void;
};

/**
 * Holds the sandboxes' listening sockets, and runs a gateway that serves them. The sockets stay open here when the gateway
 * ends: the next gateway takes over all of them, and answers a sandbox's next call.
 */
export function openEgress(start: GatewayStart): OpenEgress {
  const authority = createAuthority();
  const entries = new Map<number, Entry>();
  let lastId = 0;
  /** Calls that may have left, by their number at the gateway. */
  const open = new Map<number, GatewayCalls>();
  const waiting: ((faults: number) => void)[] = [];
  const gateway = superviseGateway(start, {
    isNeeded: () => entries.size > 0,
    onLost: () => {
      for (const [call, calls] of open) void calls.lose(call);
      open.clear();
    },
    onStart: (started) => {
      for (const entry of entries.values()) serve(started, entry, authority);
    },
    onMessage: (message) => {
      if (message.kind === "run_ended") entries.get(message.id)?.settle?.();
      else if (message.kind === "call_asked") void answer(message);
      else if (message.kind === "call_finished") void keep(message.call, message.answer);
      else if (message.kind === "call_left") open.get(message.call)?.leave(message.call);
      else if (message.kind === "call_ended") void endCall(message);
      else for (const resolve of waiting.splice(0)) resolve(message.faults);
    },
  });

  async function answer({ id, call, run_id, attempt, asked }: CallMessage): Promise<void> {
    const asker = gateway.current();
    const calls = callsOf(entries.get(id), { run_id, attempt });
    if (calls) open.set(call, calls);
    const answered = calls ? await calls.ask(call, asked).catch(() => unavailable) : noRun;
    const isThere = gateway.current() === asker;
    if (isThere) asker?.send({ kind: "call_answered", call, answer: answered });
    if (!isThere && answered.kind !== "refused") void calls?.lose(call);
    if (isThere && answered.kind === "refused") open.delete(call);
  }

  async function keep(call: number, answer: RecordedAnswer): Promise<void> {
    const asker = gateway.current();
    const is_kept =
      (await open
        .get(call)
        ?.keep(call, answer)
        .catch(() => false)) ?? false;
    if (gateway.current() === asker) asker?.send({ kind: "call_kept", call, is_kept });
  }

  async function endCall({ call, ended }: Extract<FromGateway, { kind: "call_ended" }>): Promise<void> {
    const teller = gateway.current();
    const isWritten = await open.get(call)?.end(call, ended);
    open.delete(call);
    if (isWritten && gateway.current() === teller) teller?.send({ kind: "call_written", call });
  }

  function listenerOf(entry: Entry): EgressListener {
    const { id } = entry;
    return {
      take(socket) {
        // The sandbox may have gone before its socket came.
        if (!entries.has(id)) return socket.close();
        entry.socket = socket;
        const started = gateway.current();
        if (started) serve(started, entry, authority);
        else gateway.ensure();
      },
      beginRun(calls) {
        if (calls === null && entry.calls === null) return;
        entry.calls = calls;
        if (entry.socket)
          gateway.current()?.send({ kind: "begin_run", id, run: calls && servedRunOf(calls, authority) });
      },
      endRun: () => (entry.socket ? endRun(gateway.current(), entry) : Promise.resolve()),
      close() {
        if (!entries.delete(id)) return;
        gateway.current()?.send({ kind: "close", id });
        entry.socket?.close();
        entry.settle?.(new Error("the sandbox's listener was closed"));
      },
    };
  }

  return {
    trust: authority.trust,
    open(allow) {
      const entry: Entry = { id: (lastId += 1), allow: [...allow], socket: null, calls: null, settle: null };
      entries.set(entry.id, entry);
      return listenerOf(entry);
    },
    gatewayPid: () => gateway.current()?.pid ?? null,
    faults: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        gateway.current()?.send({ kind: "ping" });
      }),
    close() {
      for (const entry of entries.values()) listenerOf(entry).close();
      gateway.close(open.size > 0);
    },
  };
}

type CallMessage = Extract<FromGateway, { kind: "call_asked" }>;

/** Returns the calls of a sandbox's run, if that is the run that the gateway means. */
function callsOf(entry: Entry | undefined, named: { run_id: string; attempt: number }): GatewayCalls | null {
  const run = entry?.calls?.run();
  return entry?.calls && run?.run_id === named.run_id && run.attempt === named.attempt ? entry.calls : null;
}

/** Hands a socket to a gateway. An `endRun` that the last gateway did not answer is asked again; until its end the backlog is refused. */
function serve(gateway: GatewayProcess, { id, allow, socket, calls, settle }: Entry, authority: Authority): void {
  if (!socket) return;
  gateway.send({ kind: "listen", id, allow, draining: settle !== null }, socket);
  if (calls) gateway.send({ kind: "begin_run", id, run: servedRunOf(calls, authority) });
  if (settle) gateway.send({ kind: "end_run", id });
}

/** Returns what the gateway is told of a run: with a certificate for each of its connections' hosts. */
function servedRunOf(calls: GatewayCalls, authority: Authority): ServedRun {
  const run = calls.run();
  const hosts = new Set(run.connections.map(({ base_url }) => new URL(base_url).hostname));
  return { ...run, certificates: [...hosts].flatMap((host) => authority.certify(host) ?? []) };
}

function endRun(gateway: GatewayProcess | null, entry: Entry): Promise<void> {
  entry.calls = null;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => entry.settle?.(new Error("the gateway doesn't answer")), endRunMs);
    entry.settle = (fault) => {
      clearTimeout(timer);
      entry.settle = null;
      if (fault) reject(fault);
      else resolve();
    };
    gateway?.send({ kind: "end_run", id: entry.id });
  });
}
