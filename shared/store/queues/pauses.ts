import type { QueueName } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** From now on nothing is taken from the queue; what was taken goes on. The first one who paused it stands there. */
export async function pauseQueue(db: Db, name: QueueName, by: string): Promise<void> {
  await pause.count(db.sql, { name, paused_by: by });
}

const pause = statement({
  name: "pause-queue",
  takes: { name: t.text, paused_by: t.text },
  text: sql`INSERT INTO queue_pauses (name, paused_by) VALUES ($name, $paused_by) ON CONFLICT DO NOTHING`,
});

export async function resumeQueue(db: Db, name: QueueName): Promise<void> {
  await db.prisma.queuePause.deleteMany({ where: { name } });
}

export async function isPaused(db: Db, name: QueueName): Promise<boolean> {
  return (await db.prisma.queuePause.findUnique({ where: { name } })) !== null;
}
