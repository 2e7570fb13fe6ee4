import { createServer } from "node:http";
import type { Random } from "../random.ts";

/** A received callback. `status`: the answer's status; null when the connection was dropped. */
export type Delivery = { webhook_id: string; run_id: string; run_status: string; status: number | null };

export type Receiver = {
  /** A URL below one of several hosts, since deliveries to one host wait for each other. */
  url(random: Random): string;
  deliveries: readonly Delivery[];
  close(): Promise<void>;
};

const hosts = 8;

/** Receives callbacks. Sometimes it answers 500 or drops the connection. `host`: the only one of its URLs. */
export async function openReceiver(random: Random, host?: string): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer((req, res) => {
    let text = "";
    req.setEncoding("utf8");
    req.on("data", (part: string) => (text += part));
    req.on("end", () => {
      const { run_id, status: run_status } = JSON.parse(text) as { run_id: string; status: string };
      const status = random.chance(0.9) ? 200 : 500;
      const drops = random.chance(0.05);
      deliveries.push({
        webhook_id: String(req.headers["webhook-id"]),
        run_id,
        run_status,
        status: drops ? null : status,
      });
      if (drops) req.socket.destroy();
      else res.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: (chance) => `http://${host ?? `127.0.0.${1 + chance.below(hosts)}`}:${port}/`,
    deliveries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
