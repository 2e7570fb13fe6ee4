import { setTimeout as sleep } from "node:timers/promises";

/** What a load balancer does: it sends requests to the APIs that are ready, and to another one where nobody listens any more. */
export type Balancer = {
  add(url: string): void;
  remove(url: string): void;
  /** Rejects when the request fails; an API that refuses the connection is passed over. */
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): void;
};

const probeMs = 100;
const withinMs = 30_000;

export function openBalancer(): Balancer {
  const ready = new Map<string, boolean>();
  const probe = async (url: string): Promise<void> => {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    await answer?.text();
    if (ready.has(url)) ready.set(url, answer?.ok === true);
  };
  const probes = setInterval(() => [...ready.keys()].map(probe), probeMs);
  const pick = (): string | undefined => {
    const urls = [...ready].flatMap(([url, isReady]) => (isReady ? [url] : []));
    return urls[Math.floor(Math.random() * urls.length)];
  };
  /** Returns null where nobody listens. */
  async function sendTo(url: string, path: string, init?: RequestInit): Promise<Response | null> {
    try {
      return await fetch(`${url}${path}`, init);
    } catch (error) {
      if (!isRefused(error)) throw error;
      ready.set(url, false);
      return null;
    }
  }
  return {
    add: (url) => void ready.set(url, false),
    remove: (url) => void ready.delete(url),
    async send(path, init) {
      for (const latest = performance.now() + withinMs; performance.now() < latest;) {
        const url = pick();
        const response = url === undefined ? await sleep(probeMs, null) : await sendTo(url, path, init);
        if (response) return response;
      }
      throw new Error("no API was ready in time");
    },
    close: () => clearInterval(probes),
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === "ECONNREFUSED";
