import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Makes the row of a user who has none; of callers at the same time, one does. */
export const insertUser = async (client: Queryable, id: string): Promise<void> => {
  await insertIfMissing.count(client, { id });
};

const insertIfMissing = statement({
  name: "insert-user-if-missing",
  takes: { id: t.text },
  text: sql`INSERT INTO users (id) VALUES ($id) ON CONFLICT (id) DO NOTHING`,
});
