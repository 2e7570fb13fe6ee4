import { setMaxListeners } from "node:events";
import type { Log } from "../../shared/platform/log.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { Db } from "../../shared/store/client.ts";
import { isWritable } from "../../shared/store/is-writable.ts";

const askEveryMs = 1_000;
/** Postgres counts as silent after this time. */
const answerMs = 2_000;
/** Without both stores a stream says nothing. After this time its reader is sent elsewhere. */
const cutOffMs = 5_000;

/** Knows whether this process is cut off: it reaches neither Redis nor Postgres, and others may reach both. */
export type StoreWatch = {
  /** Aborted when this process is cut off. A stream takes it at its start; after a cut there is a new one. */
  signal(): AbortSignal;
  close(): void;
};

type Deps = {
  db: Pick<Db, "sql">;
  streams: Pick<RunStreams, "ping">;
  log: Log;
  /** Called again and again while this process is cut off. */
  onCutOff: () => void;
};

export function watchStores({ db, streams, log, onCutOff }: Deps): StoreWatch {
  let controller = newController();
  let failingSince: number | null = null;
  let asking = false;

  async function ask(): Promise<void> {
    try {
      await streams.ping().catch(() => isWritable(db, answerMs));
      failingSince = null;
      if (controller.signal.aborted) controller = newController();
    } catch {
      failingSince ??= performance.now();
      if (performance.now() - failingSince < cutOffMs) return;
      if (!controller.signal.aborted)
        log.error(
          "this process reaches neither Redis nor Postgres; it ends its streams, which can be resumed elsewhere",
        );
      controller.abort();
      onCutOff();
    }
  }

  const clock = setInterval(() => {
    if (asking) return;
    asking = true;
    void ask().finally(() => (asking = false));
  }, askEveryMs);
  return { signal: () => controller.signal, close: () => clearInterval(clock) };
}

function newController(): AbortController {
  const controller = new AbortController();
  // Every stream adds a listener.
  setMaxListeners(0, controller.signal);
  return controller;
}
