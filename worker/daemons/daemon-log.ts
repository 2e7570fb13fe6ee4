import type { Log } from "../../shared/platform/log.ts";
import type { DaemonLogLine } from "../../shared/schemas/daemon.ts";
import { appendDaemonLog, type LogEntry, trimDaemonLog } from "../../shared/store/daemons/append-daemon-log.ts";
import type { OwnedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { Db } from "../../shared/store/client.ts";

export type DaemonLog = {
  add(stream: DaemonLogLine["stream"], message: string, level?: string): void;
  /** Resolves when all that was added is written, as far as Postgres has it. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const writeMs = 200;
const maxLength = 16 * 1024;
/** What may wait to be written; more is left out, and said to be. */
const maxWaiting = 2_000;
/** A log keeps this many chunks, of which one is written each `writeMs` at most. */
const keptChunks = 1_000;
const trimEvery = 100;

/** One owner's part of a daemon's log: lines numbered without a gap, written a little later, several at a time. */
export function openDaemonLog({ db, log }: { db: Db; log: Log }, daemon: OwnedDaemon): DaemonLog {
  let seq = 0;
  let chunks = 0;
  let dropped = 0;
  let waiting: LogEntry[] = [];
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void flush(), writeMs);

  function place(entry: Omit<LogEntry, "seq" | "ts">): void {
    seq += 1;
    waiting.push({ ...entry, seq, ts: new Date().toISOString() });
  }

  function flush(): Promise<void> {
    if (dropped > 0) place({ level: "warn", stream: "daemon", message: `${dropped} lines were left out: too many.` });
    dropped = 0;
    if (waiting.length === 0) return writing;
    const batch = waiting;
    waiting = [];
    writing = writing.then(() => write(batch));
    return writing;
  }

  async function write(batch: LogEntry[]): Promise<void> {
    try {
      await appendDaemonLog(db, daemon, batch);
      chunks += 1;
      if (chunks % trimEvery === 0) await trimDaemonLog(db, daemon.agent_id, keptChunks);
    } catch (error) {
      log.warn({ agent_id: daemon.agent_id, err: String(error) }, "a daemon's log could not be written");
    }
  }

  return {
    add(stream, text, level = "info") {
      for (const message of text.replace(/\n$/, "").split("\n")) {
        if (waiting.length >= maxWaiting) dropped += 1;
        else place({ level, stream, message: message.slice(0, maxLength) });
      }
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
