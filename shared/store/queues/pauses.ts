import type { QueueName } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";

/** From now on nothing is taken from the queue; what was taken goes on. The first one who paused it stands there. */
export async function pauseQueue(db: Db, name: QueueName, by: string): Promise<void> {
  await db.sql.query("INSERT INTO queue_pauses (name, paused_by) VALUES ($1, $2) ON CONFLICT DO NOTHING", [name, by]);
}

export async function resumeQueue(db: Db, name: QueueName): Promise<void> {
  await db.sql.query("DELETE FROM queue_pauses WHERE name = $1", [name]);
}

export async function isPaused(db: Db, name: QueueName): Promise<boolean> {
  return (await db.prisma.queuePause.findUnique({ where: { name } })) !== null;
}
