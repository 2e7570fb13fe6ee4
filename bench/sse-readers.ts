import { connect } from "node:net";

export type SseReader = { pause(): void; close(): void };

/** How many connect at once. */
const group = 200;

/** Opens a reader of each run's stream. `onDelay` hears of each output how many milliseconds after its making it was here. */
export const openReaders = (url: string, runIds: string[], onDelay: (ms: number) => void): Promise<SseReader[]> =>
  openAll(runIds, (runId) => open(url, `/v1/runs/${runId}/stream`, "event: run.queued", onDelay));

/** Opens as many connections, each of which had one short answer and is kept. */
export const openConnections = (url: string, runIds: string[], onDelay: (ms: number) => void): Promise<SseReader[]> =>
  openAll(runIds, () => open(url, "/health/live", '"ok"', onDelay));

async function openAll(runIds: string[], openOne: (runId: string) => Promise<SseReader>): Promise<SseReader[]> {
  const readers: SseReader[] = [];
  for (let at = 0; at < runIds.length; at += group)
    readers.push(...(await Promise.all(runIds.slice(at, at + group).map(openOne))));
  return readers;
}

/** All of them are read into it, one after another. */
const readInto = Buffer.alloc(64 * 1024);

/** Over a plain socket, as cheaply as can be: thousands fit beside the API that they measure. Resolves once it read `first`. */
function open(url: string, path: string, first: string, onDelay: (ms: number) => void): Promise<SseReader> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const callback = (length: number): boolean => {
      const now = performance.timeOrigin + performance.now();
      const text = readInto.toString("latin1", 0, length);
      for (const [, sent] of text.matchAll(/"content":"(\d+\.?\d*)"/g)) onDelay(now - Number(sent));
      if (text.includes(first)) resolve({ pause: () => void socket.pause(), close: () => void socket.destroy() });
      return true;
    };
    const onread = { buffer: readInto, callback };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    socket.once("error", reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  });
}
