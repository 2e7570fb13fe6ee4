import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export type Received = { headers: IncomingHttpHeaders; text: string; body: Record<string, unknown>; path: string };

/** What a receiver does with a request: answers it, or leaves it open. */
export type Reaction = (res: ServerResponse, received: Received) => void;

export type Receiver = {
  /** `http://<host>:<port>`, on 127.0.0.1 unless another loopback address was asked for. */
  url: string;
  got: Received[];
  /** From now on. */
  react(reaction: Reaction): void;
  close(): Promise<void>;
};

export const answer =
  (status: number, headers: Record<string, string> = {}): Reaction =>
  (res) =>
    void res.writeHead(status, headers).end();

/** A receiver of callbacks, which answers 204 until it is told to do something else. */
export async function openReceiver(host = "127.0.0.1"): Promise<Receiver> {
  const got: Received[] = [];
  let reaction = answer(204);
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const received = { headers: req.headers, text, body: JSON.parse(text), path: req.url ?? "" };
      got.push(received);
      reaction(res, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://${host}:${port}`,
    got,
    react(next) {
      reaction = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
