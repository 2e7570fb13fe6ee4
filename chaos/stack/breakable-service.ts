import { readFileSync } from "node:fs";
import type { Service } from "../../dev/start-service.ts";

/** A Postgres or Redis that can be ended, frozen and started again under the same URL. */
export type BreakableService = {
  url: string;
  /** Ends the main process by a signal, and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  /** Stops the process and its children (SIGSTOP). */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

/** From the second start on, `start` gets the URL of the first one. */
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
      // The parent first, so that it can't start more children.
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

/** proc(5); on Linux only. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}
