import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { BuildFence } from "./claim-build.ts";

/** Lets another worker begin a build anew at once. Does nothing when the build isn't this worker's any more. */
export async function giveBackBuild(db: Db, { agent_id, version, attempts }: BuildFence): Promise<void> {
  await giveBack.count(db.sql, { agent_id, version, attempts });
}

const giveBack = statement({
  name: "give-back-build",
  takes: { agent_id: t.text, version: t.text, attempts: t.integer },
  text: sql`
    UPDATE builds SET lease_until = NULL, given_back = given_back + 1
    WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'`,
});
