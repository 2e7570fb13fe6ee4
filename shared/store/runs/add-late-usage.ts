import type { Usage } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Sets what an attempt used whose run was ended from outside. Does nothing to a run that goes on. */
export async function addLateUsage(
  db: Db,
  { id, attempt }: { id: string; attempt: number },
  usage: Usage,
): Promise<void> {
  await add.count(db.sql, { id, attempt, usage });
}

const add = statement({
  name: "add-late-usage",
  takes: { id: t.text, attempt: t.integer, usage: t.json<Usage>() },
  text: sql`UPDATE runs SET usage = $usage WHERE id = $id AND attempt = $attempt + 1 AND taken_over`,
});
