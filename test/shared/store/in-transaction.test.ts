import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { inTransaction } from "../../../shared/store/in-transaction.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 1, () => undefined);
afterAll(() => db.close());

test("a connection that dies between two statements costs its transaction, and neither the process nor the next one", async () => {
  const cut = inTransaction(db, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const dead = new Promise((resolve) => client.once("end", resolve));
    await stack.sql.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    await dead;
    await client.query("SELECT 1");
  });
  await expect(cut).rejects.toThrow("not queryable");
  expect(await inTransaction(db, async (client) => (await client.query("SELECT 1")).rowCount)).toBe(1);
});
