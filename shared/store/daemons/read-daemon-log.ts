import { type EventId, formatEventId } from "../../domain/run/event-id.ts";
import type { DaemonLogLine } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";

type Chunk = { epoch: number; entries: [number, string, DaemonLogLine["stream"], string, string][] };

/** Lines of a daemon's log after `cursor`, the oldest first, at most `limit`. */
export async function readDaemonLog(
  db: Db,
  agent_id: string,
  cursor: EventId,
  limit: number,
): Promise<DaemonLogLine[]> {
  const { rows } = await db.sql.query<Chunk>({ ...statement, values: [agent_id, cursor.attempt, cursor.seq] });
  const lines = rows.flatMap(({ epoch, entries }) =>
    entries
      .filter(([seq]) => epoch > cursor.attempt || seq > cursor.seq)
      .map(([seq, level, stream, message, ts]) => {
        return { id: formatEventId({ attempt: epoch, seq }), level, stream, message, ts };
      }),
  );
  return lines.slice(0, limit);
}

const statement = {
  name: "read-daemon-log",
  text: `
    SELECT epoch, entries FROM daemon_logs WHERE agent_id = $1 AND (epoch, last_seq) > ($2, $3)
    ORDER BY epoch, first_seq LIMIT 50`,
};
