import type { DaemonLogLine } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** A line before it has its place: its id is `<epoch>-<seq>`. */
export type LogEntry = Omit<DaemonLogLine, "id"> & { seq: number };

/** Writes lines that follow each other to a daemon's log. A repeat changes nothing; an older epoch's are dropped. */
export async function appendDaemonLog(db: Db, { agent_id, epoch }: OwnedDaemon, lines: LogEntry[]): Promise<void> {
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last) return;
  const entries = lines.map(({ seq, level, stream, message, ts }) => [seq, level, stream, message, ts]);
  await append.count(db.sql, { agent_id, epoch, first_seq: first.seq, last_seq: last.seq, entries });
}

const append = statement({
  name: "append-daemon-log",
  takes: {
    agent_id: t.text,
    epoch: t.integer,
    first_seq: t.integer,
    last_seq: t.integer,
    entries: t.json<unknown[][]>(),
  },
  text: sql`
    INSERT INTO daemon_logs (agent_id, epoch, first_seq, last_seq, entries)
    SELECT agent_id, epoch, $first_seq, $last_seq, $entries FROM daemons WHERE agent_id = $agent_id AND epoch = $epoch
    ON CONFLICT DO NOTHING`,
});

/** Removes all but the newest `chunks` chunks of a daemon's log. */
export async function trimDaemonLog(db: Db, agent_id: string, chunks: number): Promise<void> {
  await trim.count(db.sql, { agent_id, chunks });
}

const trim = statement({
  name: "trim-daemon-log",
  takes: { agent_id: t.text, chunks: t.integer },
  text: sql`
    DELETE FROM daemon_logs WHERE agent_id = $agent_id AND (epoch, first_seq) < (
      SELECT epoch, first_seq FROM daemon_logs WHERE agent_id = $agent_id ORDER BY epoch DESC, first_seq DESC
      OFFSET $chunks - 1 LIMIT 1)`,
});
