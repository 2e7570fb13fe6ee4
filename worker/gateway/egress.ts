import type { CallAnswer, CallAsked, CallEnded, GatewayRun, RecordedAnswer } from "../../shared/schemas/gateway.ts";

/** A listening socket that this process holds open, but accepts no connections from. */
export type ListeningSocket = { close(): void };

/** What a run has to do with its calls. */
export type GatewayCalls = {
  /** Returns what the gateway is told of the run. */
  run(): GatewayRun;
  /** Decides whether a call may leave. `call`: its number at the gateway. */
  ask(call: number, asked: CallAsked): Promise<CallAnswer>;
  /** Keeps a finished answer. Returns false when it can't be kept. */
  keep(call: number, answer: RecordedAnswer): Promise<boolean>;
  /** The client has gone before it had the answer. */
  leave(call: number): void;
  /** Writes what became of a call. Returns false when it could not be written. */
  end(call: number, ended: CallEnded): Promise<boolean>;
  /** The gateway has ended, and nobody knows what became of the call. */
  lose(call: number): Promise<boolean>;
};

/** One sandbox's access to the network. */
export type EgressListener = {
  /** Takes the listening socket that the sandbox made in its network namespace. From now on the gateway serves the socket. */
  take(socket: ListeningSocket): void;
  /** Says whose calls the sandbox's are from now on; null: nobody's, until the next call. Calls of another run are cut. */
  beginRun(calls: GatewayCalls | null): void;
  /**
   * To be called between two runs of a sandbox, when no process of the first run is left. Closes the run's connections and
   * those that wait in the backlog. Resolves when none is left: later connections belong to the next run. Rejects when the
   * gateway does not confirm that within 5 s; the sandbox must not be used again then.
   */
  endRun(): Promise<void>;
  /** To be called when the sandbox is gone. Closes its socket and all its connections. Idempotent. */
  close(): void;
};

export type Egress = {
  /** What sandboxes with network trust, as PEM: the gateway's authority, and the machine's certificates together with it. */
  trust: { authority: string; certificates: string };
  /** `allow`: the hosts that the agent's config names. */
  open(allow: readonly string[]): EgressListener;
};
