import { spawn } from "node:child_process";
import type { ListeningSocket } from "../../worker/gateway/egress.ts";

/** Sends a listening socket as a sandbox does: nothing is accepted from it before. */
const source = `const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
  process.send({ port: server.address().port }, server._handle, () => process.exit());
});`;

/** Opens a listening socket in another process and takes it over. Nothing is accepted from it yet. */
export function openListeningSocket(): Promise<{ port: number; socket: ListeningSocket }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.once("error", reject);
    child.once("message", ({ port }: { port: number }, handle: unknown) => {
      resolve({ port, socket: handle as ListeningSocket });
    });
  });
}
