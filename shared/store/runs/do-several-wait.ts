import type { Db } from "../client.ts";

/** Whether runs of more than one owner wait. */
export async function doSeveralWait(db: Db): Promise<boolean> {
  const { rows } = await db.sql.query<{ several: boolean | null }>(statement);
  return rows[0]?.several === true;
}

const statement = {
  name: "do-several-wait",
  text: "SELECT min(user_id) <> max(user_id) AS several FROM runs WHERE status = 'queued'",
};
