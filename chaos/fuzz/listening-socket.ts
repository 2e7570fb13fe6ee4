import { spawn } from "node:child_process";
import type { ListeningSocket } from "../../worker/gateway/egress.ts";

/** Hands over a socket as a sandbox does: it listens before anybody accepts from it. */
const source = `const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
  process.send({ port: server.address().port }, server._handle, () => process.exit());
});`;

/** A listening socket of this machine that another process made, from which nothing is accepted yet. */
export function openListeningSocket(): Promise<{ port: number; socket: ListeningSocket }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.once("error", reject);
    child.once("message", ({ port }: { port: number }, handle: unknown) => {
      resolve({ port, socket: handle as ListeningSocket });
    });
  });
}
