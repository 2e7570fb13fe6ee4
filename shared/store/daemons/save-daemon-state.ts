import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** Saves a daemon's state, which its next process gets. A state of an older epoch is dropped. */
export async function saveDaemonState(db: Db, { agent_id, epoch }: OwnedDaemon, state: string): Promise<void> {
  await save.count(db.sql, { agent_id, epoch, state_snapshot: state });
}

const save = statement({
  name: "save-daemon-state",
  takes: { agent_id: t.text, epoch: t.integer, state_snapshot: t.json<string>() },
  text: sql`UPDATE daemons SET state_snapshot = $state_snapshot WHERE agent_id = $agent_id AND epoch = $epoch`,
});
