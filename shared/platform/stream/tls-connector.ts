import { connect, type TLSSocket } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";

/** ioredis' own default, in ms: how long a socket that is told to end may stay open. */
const endMs = 2_000;

/**
 * Opens ioredis' connections to one server by TLS. Node tells of an alert that comes after a certificate was refused by a second
 * `error` of the closed socket (`_emitTLSError` in its `lib/_tls_wrap.js`). ioredis' own connector listens to the first one only:
 * nothing catches the other, and a process that meets many of those leaves.
 */
export class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  /** ioredis gives a connection's options. */
  constructor(options: unknown) {
    super((options as RedisOptions).disconnectTimeout ?? endMs);
    this.#options = options as RedisOptions;
  }

  override async connect(): Promise<TLSSocket> {
    this.connecting = true;
    const { host = "localhost", port = 6379, family = 0, tls } = this.#options;
    const place = { host, port, family };
    const socket = connect({ ...place, ...tls });
    socket.once("error", (error) => (this.firstError = error)).on("error", () => undefined);
    this.stream = socket;
    return socket;
  }
}
