import type { Db } from "../client.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** Keeps what a daemon saved of its state; its next process gets it. An older epoch's is dropped. */
export async function saveDaemonState(db: Db, { agent_id, epoch }: OwnedDaemon, state: string): Promise<void> {
  await db.sql.query({ ...statement, values: [agent_id, epoch, JSON.stringify(state)] });
}

const statement = {
  name: "save-daemon-state",
  text: "UPDATE daemons SET state_snapshot = $3 WHERE agent_id = $1 AND epoch = $2",
};
