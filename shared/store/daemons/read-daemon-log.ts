import { type EventId, formatEventId } from "../../domain/run/event-id.ts";
import type { DaemonLogLine } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Lines of a daemon's log after `cursor`, the oldest first, at most `limit`. */
export async function readDaemonLog(
  db: Db,
  agent_id: string,
  cursor: EventId,
  limit: number,
): Promise<DaemonLogLine[]> {
  const rows = await read.rows(db.sql, { agent_id, epoch: cursor.attempt, seq: cursor.seq });
  const lines = rows.flatMap(({ epoch, entries }) =>
    entries
      .filter(([seq]) => epoch > cursor.attempt || seq > cursor.seq)
      .map(([seq, level, stream, message, ts]) => {
        return { id: formatEventId({ attempt: epoch, seq }), level, stream, message, ts };
      }),
  );
  return lines.slice(0, limit);
}

const read = statement({
  name: "read-daemon-log",
  takes: { agent_id: t.text, epoch: t.integer, seq: t.integer },
  gives: { epoch: t.integer, entries: t.json<[number, string, DaemonLogLine["stream"], string, string][]>() },
  text: sql`
    SELECT epoch, entries FROM daemon_logs WHERE agent_id = $agent_id AND (epoch, last_seq) > ($epoch, $seq)
    ORDER BY epoch, first_seq LIMIT 50`,
});
