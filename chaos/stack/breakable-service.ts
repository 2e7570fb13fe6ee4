import { readFileSync } from "node:fs";
import type { Service } from "../../dev/start-service.ts";

/** A Postgres or Redis that can be ended, frozen and started again under the same URL. */
export type BreakableService = {
  url: string;
  /** Ends its main process by a signal, and waits until it has gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  /** Stops its processes, the children too, without ending them. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

/** `start` is given the URL of the first start from the second one on. */
export async function openBreakable(start: (url?: string) => Promise<Service>): Promise<BreakableService> {
  let service = await start();
  const { url } = service;
  let frozen: number[] = [];
  const thaw = (): void => {
    for (const pid of frozen) send(pid, "SIGCONT");
    frozen = [];
  };
  return {
    url,
    async end(signal) {
      process.kill(service.pid, signal);
      await service.ended;
      await service.close();
    },
    async restart() {
      service = await start(url);
    },
    freeze() {
      // The parent first: it can't make children then.
      process.kill(service.pid, "SIGSTOP");
      frozen = [service.pid, ...childrenOf(service.pid)];
      for (const pid of frozen) send(pid, "SIGSTOP");
    },
    thaw,
    async close() {
      thaw();
      await service.close();
    },
  };
}

/** proc(5): only Linux tells. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone meanwhile.
  }
}
