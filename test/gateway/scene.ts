import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { openListeningSocket } from "../../chaos/fuzz/listening-socket.ts";
import type { EgressListener } from "../../worker/gateway/egress.ts";
import type { OpenEgress } from "../../worker/gateway/open-egress.ts";
import { exchange } from "../harness/exchange.ts";
import { loopbackEgress } from "../worker/sandbox/open-levels.ts";

export type Heard = { head: string; body: string };

/** A gateway, a target that says how much it heard, and one that says nothing. */
export type Scene = {
  egress: OpenEgress;
  target: number;
  silent: number;
  /** What the target heard since the last `splice(0)`. */
  heard: Heard[];
  openSandbox: () => Promise<{ port: number; listener: EgressListener }>;
  /** A request for a target, with more fields. */
  get: (fields?: string, at?: number) => string;
  asks: (port: number) => Promise<string>;
  close(): void;
};

export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

export async function openScene(): Promise<Scene> {
  const heard: Heard[] = [];
  const http = createHttpServer((req, res) => {
    const hear = (body: string): void => {
      heard.push({ head: `${req.method} ${req.url}\n${req.rawHeaders.join("\n")}`, body });
      res.end(`heard ${body.length}`);
    };
    text(req).then(hear, () => res.destroy());
  });
  const mute = createServer((socket) => void socket.on("error", () => undefined).resume());
  const [target, silent] = await Promise.all([listen(http), listen(mute)]);
  const allow = [`*:${target}`, `*:${silent}`];
  const egress = loopbackEgress(allow);
  const get = (fields = "", at = target): string => `GET http://127.0.0.1:${at}/x HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
  return {
    egress,
    target,
    silent,
    heard,
    async openSandbox() {
      const { port, socket } = await openListeningSocket();
      const listener = egress.open(allow);
      listener.take(socket);
      return { port, listener };
    },
    get,
    asks: (port) => exchange(port, get("Connection: close\r\n"), 10_000),
    close() {
      egress.close();
      http.close();
      mute.close();
    },
  };
}
