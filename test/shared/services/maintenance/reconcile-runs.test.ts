import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../../harness/client.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const token = randomBytes(32).toString("hex");
const stack = await useTestStack();
const { url } = await stack.openApi({ INTERNAL_TOKEN: token });
const agent_id = await makeAgent(url, "def main(input): return input");

/** Starts an internal job, as workers do by the clock. Returns its counts. */
async function work(job: string): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await call(url, "POST", `/v1/internal/jobs/${job}`, undefined, headers);
  expect(body["status"]).toBe("success");
  return body["result"] as Record<string, number>;
}

/** A run's row, whose columns with a time are given as SQL. */
async function plant(id: string, columns: Record<string, string>): Promise<void> {
  const given = {
    ...{ id: `'${id}'`, user_id: "'tester'", agent_id: `'${agent_id}'`, version: "'1.0.0'", max_attempts: "1" },
    ...{ adapter_type: "'python'", runtime_mode: "'standard'", lifecycle: "'serverless'", timeout_ms: "1000" },
    ...{ input_payload: "'{}'", history: "'[]'", files: "'[]'", request_hash: "''", attempt: "1" },
    ...{ expires_at: "now() + interval '1 hour'", ...columns },
  };
  const [names, values] = [Object.keys(given).join(", "), Object.values(given).join(", ")];
  await stack.sql.query(`INSERT INTO runs (${names}) VALUES (${values})`);
}

/** Makes it impossible to end some runs. */
async function poison(...ids: string[]): Promise<void> {
  await stack.sql.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'poisoned'; END $$;
    DROP TRIGGER IF EXISTS refuse ON usage_records;
    CREATE TRIGGER refuse BEFORE INSERT ON usage_records FOR EACH ROW
      WHEN (NEW.run_id IN (${ids.map((id) => `'${id}'`).join(", ")})) EXECUTE FUNCTION refuse()`);
}

const read = async (id: string) => (await call(url, "GET", `/v1/runs/${id}`)).body;
const statusOf = async (id: string) => (await read(id))["status"];

test("a run that can't be ended keeps no other from its end; a lost one is billed up to its lease, and 25 days at most", async () => {
  const lost = (id: string, begun: string, lease: string) =>
    plant(id, {
      ...{ status: "'running'", worker_id: "'gone'" },
      ...{ started_at: `now() - interval '${begun}'`, lease_until: `now() - interval '${lease}'` },
    }).then(() =>
      stack.sql.query(
        `INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, at)
         VALUES ($1, 1, 'queued', 'running', 'worker', now() - $2::interval)`,
        [id, begun],
      ),
    );
  await lost("poisoned", "4 hours", "3 hours");
  await lost("short", "3 hours", "2 hours");
  await lost("long", "60 days", "1 second");
  await plant("delayed", { status: "'scheduled'", attempt: "0", scheduled_at: "now() - interval '1 second'" });
  await poison("poisoned");
  expect(await work("reconcile-runs")).toMatchObject({ ended: 2, released: 1 });
  expect(await statusOf("poisoned")).toBe("running");
  expect(await read("long")).toMatchObject({ status: "error", duration_ms: 2_147_483_647 });
  const { duration_ms } = await read("short");
  expect(Math.abs(Number(duration_ms) - 3_600_000)).toBeLessThan(60_000);
});

test("a run that can't be ended keeps no other from expiring; one that nobody answered says so", async () => {
  const late = (id: string, status: string, age: string) =>
    plant(id, { status: `'${status}'`, started_at: "now()", expires_at: `now() - interval '${age}'` });
  await late("poisoned-late", "queued", "3 hours");
  await late("unclaimed", "queued", "2 hours");
  await late("unanswered", "interrupted", "1 hour");
  await poison("poisoned-late");
  expect(await work("expire-queue")).toEqual({ expired: 2 });
  expect((await read("unclaimed"))["error"]).toMatchObject({ message: expect.stringContaining("queue_ttl_ms") });
  expect((await read("unanswered"))["error"]).toMatchObject({ message: expect.stringContaining("answered") });
});

const waitFor = (run_id: string, child: string) =>
  stack.sql.query(
    `INSERT INTO run_waits (run_id, key, attempt, kind, names, sealed_entry, child_id) VALUES ($1, $2, 1, 'child', '{}', '\\x00', $2)`,
    [run_id, child],
  );

test("what an ended run still waited for is forgotten, and delays no other run that waits", async () => {
  const ended = { status: "'success'", completed_at: "now()" };
  await plant("parent-over", { ...ended, has_children: "true" });
  await plant("parent-waiting", { status: "'suspended'", has_children: "true" });
  const plantChild = async (parent: string, child: string) => {
    await plant(child, { ...ended, parent_run_id: `'${parent}'`, tells_parent: "true", parent_key: `'${child}'` });
    await waitFor(parent, child);
  };
  for (let i = 0; i < 110; i += 1) await plantChild("parent-over", `child-${i}`);
  await plantChild("parent-waiting", "child-told");
  expect(await work("reconcile-runs")).toMatchObject({ woken: 1 });
  expect(await statusOf("parent-waiting")).toBe("queued");
  const untold = await stack.sql.query("SELECT 1 FROM runs WHERE tells_parent");
  expect(untold.rowCount).toBe(0);
  expect((await stack.sql.query("SELECT 1 FROM run_waits")).rowCount).toBe(0);
});

test("a run is not deleted while the run that has started it may read its result", async () => {
  await plant("open-parent", { status: "'suspended'" });
  await plant("its-child", { status: "'success'", completed_at: "now()", parent_run_id: "'open-parent'" });
  const remove = () => call(url, "DELETE", "/v1/runs/its-child");
  expect(await remove()).toMatchObject({ status: 409, body: { code: "parent_not_ended" } });
  // Nor by the other protocols, which would say that it is gone.
  await stack.sql.query("INSERT INTO threads (id, user_id) SELECT 'childs', user_id FROM runs WHERE id = 'its-child'");
  await stack.sql.query("UPDATE runs SET thread_id = 'childs' WHERE id = 'its-child'");
  for (const path of ["/openai/v1/responses/its-child", "/langgraph/threads/childs/runs/its-child"])
    expect((await call(url, "DELETE", path)).status).toBe(409);
  await stack.sql.query("UPDATE runs SET status = 'success', completed_at = now() WHERE id = 'open-parent'");
  expect((await remove()).status).toBe(204);
});
