import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { createSalvage } from "../../../worker/output/salvage-earlier.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

test("a run that was taken over is written while Redis is away, and what its lost attempt left there is copied later", async () => {
  let away = true;
  const read = () => (away ? Promise.reject(new Error("Connection is closed.")) : Promise.resolve([]));
  const run = { id: "run", attempt: 2, lost_attempts: 1, requeue_reason: null };
  const salvage = createSalvage({ db, streams: { read } }, run, () => Promise.resolve(true));
  expect(await salvage()).toBe(false);
  away = false;
  expect(await salvage()).toBe(true);
});
