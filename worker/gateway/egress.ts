/** A listening socket that this process holds without accepting from it. */
export type ListeningSocket = { close(): void };

/** One sandbox's door to the network. */
export type EgressListener = {
  /** Takes the socket that the sandbox made in its network namespace and handed over; from now on it is served. */
  take(socket: ListeningSocket): void;
  /**
   * To be called between two runs of a sandbox, when no process of the first run is left: closes its connections, and those
   * that wait in the backlog. Resolves when none is left; what connects afterwards belongs to the next run. Rejects when the
   * gateway can't say so within 5 s: the sandbox must not be used again then.
   */
  endRun(): Promise<void>;
  /** The sandbox is gone: closes its socket and all its connections. Idempotent. */
  close(): void;
};

export type Egress = {
  /** `allow`: the hosts that the agent's config names. */
  open(allow: readonly string[]): EgressListener;
};
