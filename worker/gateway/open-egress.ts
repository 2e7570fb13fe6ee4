import type { Egress, EgressListener, ListeningSocket } from "./egress.ts";
import { type GatewayStart, superviseGateway } from "./supervise-gateway.ts";
import type { GatewayProcess } from "./start-gateway.ts";

type Entry = {
  id: number;
  allow: string[];
  socket: ListeningSocket | null;
  /** Settles the `endRun` that the gateway has not answered yet. */
  settle: ((fault?: Error) => void) | null;
};

const endRunMs = 5_000;

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
  const entries = new Map<number, Entry>();
  let lastId = 0;
  const waiting: ((faults: number) => void)[] = [];
  const gateway = superviseGateway(start, {
    isNeeded: () => entries.size > 0,
    onStart: (started) => {
      for (const entry of entries.values()) serve(started, entry);
    },
    onMessage: (message) => {
      if (message.kind === "run_ended") entries.get(message.id)?.settle?.();
      else for (const resolve of waiting.splice(0)) resolve(message.faults);
    },
  });

  function listenerOf(entry: Entry): EgressListener {
    const { id } = entry;
    return {
      take(socket) {
        // The sandbox may have gone before its socket came.
        if (!entries.has(id)) return socket.close();
        entry.socket = socket;
        const started = gateway.current();
        if (started) serve(started, entry);
        else gateway.ensure();
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
    open(allow) {
      const entry: Entry = { id: (lastId += 1), allow: [...allow], socket: null, settle: null };
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
      gateway.close();
    },
  };
}

/** Hands a socket to a gateway. An `endRun` that the last gateway did not answer is asked again; until its end the backlog is refused. */
function serve(gateway: GatewayProcess, { id, allow, socket, settle }: Entry): void {
  if (!socket) return;
  gateway.send({ kind: "listen", id, allow, draining: settle !== null }, socket);
  if (settle) gateway.send({ kind: "end_run", id });
}

function endRun(gateway: GatewayProcess | null, entry: Entry): Promise<void> {
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
