import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Random } from "../random.ts";

export type RandomCuts = { url: string; cuts(): number; close(): Promise<void> };

/** A connection lets at most so many bytes of answers through. */
const mostBytes = 4_000;

/**
 * Stands before a server and cuts each connection at a random byte of what the server says: in the head of an answer, in the
 * middle of a character, between two events. After `most` cuts connections are left alone.
 */
export async function openRandomCuts(target: number, random: Random, most: number): Promise<RandomCuts> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    let left = cuts < most ? random.below(mostBytes) : Infinity;
    const cut = (bytes: Buffer): void => {
      cuts += 1;
      upstream.destroy();
      const rest = bytes.subarray(0, left);
      left = 0;
      // Both ends of a connection: in order, and broken.
      if (random.chance(0.5)) client.end(rest);
      else client.write(rest, () => client.resetAndDestroy());
    };
    client.on("data", (bytes) => void upstream.write(bytes));
    upstream.on("data", (bytes: Buffer) => {
      if (left === 0) return;
      if (bytes.length > left) return cut(bytes);
      left -= bytes.length;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        if (one === client) other.destroy();
        else client.end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
