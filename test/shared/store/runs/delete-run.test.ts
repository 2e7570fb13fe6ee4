import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { deleteRun } from "../../../../shared/store/runs/delete-run.ts";
import { insertRun } from "../../../../shared/store/runs/queue/insert-run.ts";
import { useTestStack } from "../../../harness/test-stack.ts";
import { waitForLocks } from "../../../harness/wait-for-locks.ts";
import { newRun } from "./run-moves.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());

/** A run that has ended, and that has started others which nobody has asked to end yet. */
async function makeParent(id: string): Promise<string> {
  await insertRun(db, newRun(id), null);
  await stack.sql.query("UPDATE runs SET status = 'success', completed_at = now(), has_children = true WHERE id = $1", [
    id,
  ]);
  return id;
}

test("a run that can't be deleted says what is in its way, and is deleted when nothing is", async () => {
  const id = await makeParent("parent");
  expect(await deleteRun(db, "nobody", null)).toBe("missing");
  expect(await deleteRun(db, id, null)).toBe("has_children");
  await insertRun(db, newRun("child"), null);
  expect(await deleteRun(db, "child", null)).toBe("not_ended");
  await stack.sql.query(
    "UPDATE runs SET status = 'success', completed_at = now(), parent_run_id = $1 WHERE id = 'child'",
    [id],
  );
  await stack.sql.query("UPDATE runs SET has_children = false, status = 'running', completed_at = NULL WHERE id = $1", [
    id,
  ]);
  expect(await deleteRun(db, "child", null)).toBe("parent_not_ended");
  await stack.sql.query("UPDATE runs SET status = 'success', completed_at = now() WHERE id = $1", [id]);
  expect(await deleteRun(db, "child", null)).toBe("deleted");
  expect(await deleteRun(db, "child", null)).toBe("missing");
});

test("what was in a run's way and is gone a moment later is not taken for something else", async () => {
  const id = await makeParent("quick");
  const [holds, settles] = [await stack.sql.connect(), await stack.sql.connect()];
  // A deletion waits for the notifications. Behind it, somebody takes what is in its way away before anything else looks at the run.
  await holds.query("BEGIN");
  await holds.query("LOCK TABLE notifications");
  const deleted = deleteRun(db, id, null);
  await waitForLocks(stack.sql, 1);
  await settles.query("BEGIN");
  const locked = settles.query("LOCK TABLE runs");
  await waitForLocks(stack.sql, 2);
  await holds.query("COMMIT");
  await locked;
  await settles.query("UPDATE runs SET has_children = false WHERE id = $1", [id]);
  await settles.query("COMMIT");
  for (const client of [holds, settles]) client.release();
  expect(await deleted).toBe("has_children");
  expect(await deleteRun(db, id, null)).toBe("deleted");
});
