import type { Egress, EgressListener, ListeningSocket } from "./egress.ts";
import { type GatewayStart, keepGateway } from "./keep-gateway.ts";
import type { GatewayProcess } from "./start-gateway.ts";

type Entry = {
  id: number;
  allow: string[];
  socket: ListeningSocket | null;
  /** Of the `endRun` that the gateway hasn't answered. */
  settle: ((fault?: Error) => void) | null;
};

const endRunMs = 5_000;

export type OpenEgress = Egress & {
  /** Of the gateway that is at work; null: there is none. */
  gatewayPid(): number | null;
  /** Errors in that gateway that only its last net had caught; asks it. */
  faults(): Promise<number>;
  close(): void;
};

/**
 * Keeps the sandboxes' listening sockets, and a gateway that serves them from the first one on. The sockets stay open here when
 * the gateway ends, so that the next one takes over all of them and a sandbox's next call is answered.
 */
export function openEgress(start: GatewayStart): OpenEgress {
  const entries = new Map<number, Entry>();
  let lastId = 0;
  const waiting: ((faults: number) => void)[] = [];
  const gateway = keepGateway(start, {
    isNeeded: () => entries.size > 0,
    onStart: (started) => {
      for (const entry of entries.values()) serve(started, entry);
    },
    onMessage: (message) => {
      if (message.kind === "run_ended") entries.get(message.id)?.settle?.();
      else for (const hear of waiting.splice(0)) hear(message.faults);
    },
  });

  function listenerOf(entry: Entry): EgressListener {
    const { id } = entry;
    return {
      take(socket) {
        // The sandbox may have gone before its socket came.
        if (!entries.has(id)) return socket.close();
        entry.socket = socket;
        const started = gateway.now();
        if (started) serve(started, entry);
        else gateway.need();
      },
      endRun: () => (entry.socket ? endRun(gateway.now(), entry) : Promise.resolve()),
      close() {
        if (!entries.delete(id)) return;
        gateway.now()?.tell({ kind: "close", id });
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
    gatewayPid: () => gateway.now()?.pid ?? null,
    faults: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        gateway.now()?.tell({ kind: "ping" });
      }),
    close() {
      for (const entry of entries.values()) listenerOf(entry).close();
      gateway.close();
    },
  };
}

/** An `endRun` that the last gateway left unanswered is asked of this one, which refuses what is in the backlog until then. */
function serve(gateway: GatewayProcess, { id, allow, socket, settle }: Entry): void {
  if (!socket) return;
  gateway.tell({ kind: "listen", id, allow, draining: settle !== null }, socket);
  if (settle) gateway.tell({ kind: "end_run", id });
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
    gateway?.tell({ kind: "end_run", id: entry.id });
  });
}
