import { connect } from "node:net";

export type SseReader = { pause(): void; close(): void };

/** How many connect at once. */
const group = 200;

/** Opens a reader of each run's stream. `onDelay` is called for each output with the ms since it was made. */
export const openReaders = (url: string, runIds: string[], onDelay: (ms: number) => void): Promise<SseReader[]> =>
  openAll(runIds, (runId) => open(url, `/v1/runs/${runId}/stream`, "event: run.queued", onDelay));

/** Opens a connection for each run, which gets one short answer and stays open. */
export const openConnections = (url: string, runIds: string[], onDelay: (ms: number) => void): Promise<SseReader[]> =>
  openAll(runIds, () => open(url, "/health/live", '"ok"', onDelay));

async function openAll(runIds: string[], openOne: (runId: string) => Promise<SseReader>): Promise<SseReader[]> {
  const readers: SseReader[] = [];
  for (let at = 0; at < runIds.length; at += group)
    readers.push(...(await Promise.all(runIds.slice(at, at + group).map(openOne))));
  return readers;
}

/** All sockets are read into this buffer, one after another. */
const readInto = Buffer.alloc(64 * 1024);

/** Reads a plain socket, cheaply enough for thousands beside the API that they measure. Resolves when `first` was read. */
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
