import { afterAll, expect, test } from "vitest";
import { openDb } from "../../shared/store/client.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { loginUrl } from "../../dev/database-roles.ts";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { type Pooler, startPooler } from "../harness/pooler.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
/** Fewer connections than the members have: each transaction may get another one. */
const pooler: Pooler | null = await startPooler(loginUrl(stack.databaseUrl), 4);
afterAll(() => pooler?.close());
const lacking = "there is no pgbouncer here";

test("with DATABASE_POOLER=transaction a whole stack runs behind a transaction pooler, and no statement is missed", async (ctx) => {
  if (pooler === null) return ctx.skip(lacking);
  const env = { DATABASE_URL: pooler.url, DATABASE_POOLER: "transaction", LOG_LEVEL: "warn" };
  const { url, api, worker } = await stack.startMembers({ api: env, worker: env });
  const agent_id = await makeAgent(
    url,
    py`
      def main(input):
          yield "said"
          return input
    `,
  );
  const ends = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: { n } }));
      return events.at(-1)?.data["result_content"];
    }),
  );
  expect(ends).toEqual(Array.from({ length: 24 }, (_, n) => ({ n })));
  // Transactions of Prisma and of our own, and locks.
  expect((await call(url, "PATCH", `/v1/agents/${agent_id}`, { name: "renamed" })).status).toBe(200);
  expect((await call(url, "POST", "/v1/threads", { user_id: "tester" })).status).toBe(201);
  expect(api.logged() + worker.logged()).not.toMatch(/prepared statement/);
  await Promise.all([api.stop("SIGKILL"), worker.stop("SIGKILL")]);
});

test("without it the same pooler loses prepared statements", async (ctx) => {
  if (pooler === null) return ctx.skip(lacking);
  const outcomes = async (prepares: boolean): Promise<string[]> => {
    const db = openDb(pooler.url, 8, () => undefined, { prepares });
    const reads = Array.from({ length: 100 }, () => readClock(db).then(() => "read", String));
    const settled = await Promise.all(reads);
    await db.close();
    return [...new Set(settled)];
  };
  expect(await outcomes(false)).toEqual(["read"]);
  expect((await outcomes(true)).join()).toMatch(/prepared statement .* (does not exist|already exists)/);
});
