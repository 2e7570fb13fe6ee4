import type { DaemonLogLine } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** A line before it has its place: its id is `<epoch>-<seq>`. */
export type LogEntry = Omit<DaemonLogLine, "id"> & { seq: number };

/** Writes lines that follow each other to a daemon's log. A repeat changes nothing; an older epoch's are dropped. */
export async function appendDaemonLog(db: Db, { agent_id, epoch }: OwnedDaemon, entries: LogEntry[]): Promise<void> {
  const first = entries[0];
  const last = entries.at(-1);
  if (!first || !last) return;
  const rows = entries.map(({ seq, level, stream, message, ts }) => [seq, level, stream, message, ts]);
  await db.sql.query({ ...append, values: [agent_id, epoch, first.seq, last.seq, JSON.stringify(rows)] });
}

const append = {
  name: "append-daemon-log",
  text: `
    INSERT INTO daemon_logs (agent_id, epoch, first_seq, last_seq, entries)
    SELECT agent_id, $2, $3, $4, $5 FROM daemons WHERE agent_id = $1 AND epoch = $2 ON CONFLICT DO NOTHING`,
};

/** Keeps the newest `chunks` chunks of a daemon's log. */
export async function trimDaemonLog(db: Db, agent_id: string, chunks: number): Promise<void> {
  await db.sql.query(
    `DELETE FROM daemon_logs WHERE agent_id = $1 AND (epoch, first_seq) < (
       SELECT epoch, first_seq FROM daemon_logs WHERE agent_id = $1 ORDER BY epoch DESC, first_seq DESC
       OFFSET $2 - 1 LIMIT 1)`,
    [agent_id, chunks],
  );
}
