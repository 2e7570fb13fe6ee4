import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, any of which could be taken before the caller listens. */
const [first, count] = [10_000, 20_000];

/** All of them, again and again. Processes that ask at the same time begin at different places. */
const ports = (function* () {
  for (let at = process.pid * 97; ; at += 1) yield first + (at % count);
})();

/** Returns a loopback port that was free just now. The caller must handle that another process takes the port first. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < count; tried += 1) {
    const port = ports.next().value;
    if (await isFree(port)) return port;
  }
  throw new Error(`no TCP port from ${first} to ${first + count - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
