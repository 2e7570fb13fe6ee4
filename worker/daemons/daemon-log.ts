import type { Log } from "../../shared/platform/log.ts";
import type { DaemonLogLine } from "../../shared/schemas/daemon.ts";
import { appendDaemonLog, type LogEntry, trimDaemonLog } from "../../shared/store/daemons/append-daemon-log.ts";
import type { OwnedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { Db } from "../../shared/store/client.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type DaemonLog = {
  add(stream: DaemonLogLine["stream"], message: string, level?: string): void;
  /** Resolves when all added lines are written. Lines that Postgres refused are lost. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const writeMs = 200;
const maxLength = 16 * 1024;
/** How many lines, and characters of them, may wait to be written. Further lines are dropped; a line in the log says how many. */
const maxWaiting = 2_000;
const maxWaitingLength = 4 * 1024 * 1024;
/** The largest number of characters of a chunk's lines, since a chunk is read as a whole. */
const chunkLength = 128 * 1024;
/** A log keeps this many chunks. */
const keptChunks = 1_000;
const trimEvery = 100;

/** Writes a daemon's log under one owner. Lines are numbered without a gap and written in batches. */
export function openDaemonLog({ db, log }: { db: Db; log: Log }, daemon: OwnedDaemon): DaemonLog {
  let seq = 0;
  let chunks = 0;
  let dropped = 0;
  let waiting: LogEntry[] = [];
  let waitingLength = 0;
  let writing: Promise<void> | null = null;
  const timer = setInterval(() => void writeWaiting(), writeMs);

  function enqueue(entry: Omit<LogEntry, "seq" | "ts">): void {
    seq += 1;
    waiting.push({ ...entry, seq, ts: new Date().toISOString() });
    waitingLength += entry.message.length;
  }

  /** One write at a time: what comes meanwhile waits, since only that is bounded. */
  function writeWaiting(): Promise<void> {
    writing ??= writeBatch(takeWaiting()).finally(() => (writing = null));
    return writing;
  }

  function takeWaiting(): LogEntry[] {
    if (dropped > 0)
      enqueue({ level: "warn", stream: "daemon", message: `${dropped} lines were dropped: too many at once.` });
    const batch = waiting;
    waiting = [];
    dropped = waitingLength = 0;
    return batch;
  }

  async function writeBatch(batch: LogEntry[]): Promise<void> {
    for (const chunk of chunksOf(batch)) await write(chunk);
  }

  async function flush(): Promise<void> {
    await writing;
    await writeWaiting();
  }

  async function write(batch: LogEntry[]): Promise<void> {
    try {
      await appendDaemonLog(db, daemon, batch);
      chunks += 1;
      if (chunks % trimEvery === 0) await trimDaemonLog(db, daemon.agent_id, keptChunks);
    } catch (error) {
      log.warn({ agent_id: daemon.agent_id, err: errorText(error) }, "a daemon's log could not be written");
    }
  }

  return {
    add(stream, text, level = "info") {
      for (const message of text.replace(/\n$/, "").split("\n")) {
        if (waiting.length >= maxWaiting || waitingLength >= maxWaitingLength) dropped += 1;
        else enqueue({ level, stream, message: message.slice(0, maxLength) });
      }
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Cuts lines into the chunks that they are written in. */
function chunksOf(lines: LogEntry[]): LogEntry[][] {
  const chunks: LogEntry[][] = [];
  let room = 0;
  for (const line of lines) {
    room -= line.message.length;
    if (room < 0) {
      chunks.push([]);
      room = chunkLength - line.message.length;
    }
    chunks.at(-1)?.push(line);
  }
  return chunks;
}
