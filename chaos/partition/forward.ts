import { connect, createServer, type Socket } from "node:net";

export type Forward = { port: number; close(): Promise<void> };

/** Passes connections at `address` on to a loopback port of this namespace. */
export async function openForward(address: string, port: number): Promise<Forward> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true).pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, address, resolve));
  const own = server.address();
  return {
    port: typeof own === "object" && own ? own.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
