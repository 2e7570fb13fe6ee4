/** A listening socket that this process holds open, but accepts no connections from. */
export type ListeningSocket = { close(): void };

/** One sandbox's access to the network. */
export type EgressListener = {
  /** Takes the listening socket that the sandbox made in its network namespace. From now on the gateway serves the socket. */
  take(socket: ListeningSocket): void;
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
  /** `allow`: the hosts that the agent's config names. */
  open(allow: readonly string[]): EgressListener;
};
