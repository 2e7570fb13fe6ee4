import { newId } from "../../../platform/ids.ts";
import type { Usage } from "../../../schemas/run-event.ts";
import { insertLateUsage } from "../../billing/insert-usage-records.ts";
import type { Db } from "../../client.ts";
import { t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/**
 * Sets what a run has used whose attempt was still under way when it was ended from outside, and meters what is more than was known then.
 * Does nothing to a run that goes on.
 */
export async function addLateUsage(
  db: Db,
  { id, attempt }: { id: string; attempt: number },
  usage: Usage,
): Promise<void> {
  await add.count(db.sql, { id, attempt, usage, record_id: newId("usage") });
}

const add = statement({
  name: "add-late-usage",
  takes: { id: t.text, attempt: t.integer, usage: t.json<Usage>(), record_id: t.text },
  text: sql`
    WITH before AS (
      SELECT id, user_id, agent_id, version, plan_id, usage FROM runs WHERE id = $id AND attempt = $attempt + 1 AND taken_over FOR UPDATE
    ), late AS (${insertLateUsage()})
    UPDATE runs SET usage = $usage FROM before WHERE runs.id = before.id`,
});
