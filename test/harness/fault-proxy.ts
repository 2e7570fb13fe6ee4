import { connect, createServer, type Socket } from "node:net";

/** `before`: the request never arrives. `after`: it is carried out, and its answer is lost. */
export type Cut = "before" | "after";

/** Stands before a server, passes bytes on, and does harm when told. */
export type FaultProxy = {
  port: number;
  /** The next request that holds `text`, of whichever connection. Its connection is cut, and then this resolves. */
  cutAt(text: string, cut: Cut): Promise<void>;
  /** As `cutAt`, but its connection falls silent: whoever asked waits, and can be killed before it hears of anything. */
  silenceAt(text: string, cut: Cut): Promise<void>;
  /** From now on nothing comes through in either direction, and nobody is told: every connection is half-open. */
  swallow(): void;
  /** Lets through what comes from now on, over new connections; those before are dead for good. */
  heal(): void;
  close(): Promise<void>;
};

type Order = { text: string; cut: Cut; silently: boolean; done: () => void };

export async function openFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  let orders: Order[] = [];
  let swallowing = false;
  /** Connections are numbered; those before this one are dead. */
  let firstAlive = 0;
  let opened = 0;
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(target);
    const number = opened++;
    let silent = false;
    const isDead = (): boolean => silent || swallowing || number < firstAlive;
    let lost: Order | null = null;
    const cut = (order: Order): void => {
      if (order.silently) silent = true;
      else for (const socket of [client, upstream]) socket.destroy();
      order.done();
    };
    client.on("data", (bytes: Buffer) => {
      if (isDead()) return;
      const order = orders.find(({ text }) => bytes.includes(text));
      if (!order) return void upstream.write(bytes);
      orders = orders.filter((other) => other !== order);
      if (order.cut === "before") return cut(order);
      lost = order;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      if (isDead()) return;
      if (lost) return cut(lost);
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
        if (silent || !isDead()) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cutter = (silently: boolean) => (text: string, cut: Cut) =>
    new Promise<void>((done) => orders.push({ text, cut, silently, done }));

  return {
    port: typeof address === "object" && address ? address.port : 0,
    cutAt: cutter(false),
    silenceAt: cutter(true),
    swallow: () => (swallowing = true),
    heal() {
      swallowing = false;
      firstAlive = opened;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
