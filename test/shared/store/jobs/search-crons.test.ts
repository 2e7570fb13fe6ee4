import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { searchCrons } from "../../../../shared/store/jobs/search-crons.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

test("of more than 10,000 jobs a search of crons looks at the newest, in whatever order they are asked for", async () => {
  await stack.sql.query("INSERT INTO users (id) VALUES ('ada')");
  await stack.sql.query(
    `INSERT INTO agents (id, user_id, name, current_version) VALUES ('agent', 'ada', 'a', '1.0.0')`,
  );
  await stack.sql.query(
    `INSERT INTO jobs (id, user_id, agent_id, version, schedule, created_at)
     SELECT 'job_' || lpad((90000 - n)::text, 5, '0'), 'ada', 'agent', 'current', 'every 1h', now() + n * interval '1 s'
     FROM generate_series(0, 10001) AS n`,
  );
  const search = { agent_id: null, thread_id: null, enabled: null };
  const newest = "job_79999";
  for (const sort_by of ["created_at", "cron_id"] as const) {
    const descending = sort_by === "created_at";
    const page = await searchCrons(db, null, search, { sort_by, descending, limit: 1, offset: 0 });
    expect(page).toEqual({ ids: [newest], total: 10_000 });
  }
});
