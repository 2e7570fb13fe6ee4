import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const wait = { prefer: "wait=20" };
const run = async (agent_id: string, more: Record<string, unknown> = {}, headers: Record<string, string> = wait) =>
  (await call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, headers)).body;
const get = (path: string) => call(url, "GET", path);
const ended = async (id: unknown) => {
  await waitFor(async () => (await get(`/v1/runs/${String(id)}`)).body["completed_at"]);
  return (await get(`/v1/runs/${String(id)}`)).body;
};

test("a timeline tells each move, who made it and why", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(i): time.sleep(60)
    `,
  );
  const { id } = await run(agent_id, {}, { prefer: "respond-async" });
  await waitFor(async () => (await get(`/v1/runs/${String(id)}`)).body["status"] === "running");
  await call(url, "POST", `/v1/runs/${String(id)}/complete`, { status: "success" });
  expect((await get(`/v1/runs/${String(id)}/timeline`)).body["data"]).toMatchObject([
    { from: null, to: "queued", actor: "api", attempt: 0, at: expect.any(String) },
    { from: "queued", to: "running", actor: "worker", attempt: 1 },
    { from: "running", to: "success", actor: "client", reason: "completed", attempt: 2 },
  ]);
});

test("logs are what was logged and written to stderr, by page and by level", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import sys
      from runfleet import log
      def main(i):
          for n in range(5):
              log('line %d' % n, 'warning')
              yield n
          print('oops', file=sys.stderr)
    `,
  );
  const { id } = await run(agent_id);
  const all = (await get(`/v1/runs/${String(id)}/logs`)).body;
  expect(all["data"]).toHaveLength(6);
  const first = (await get(`/v1/runs/${String(id)}/logs?limit=2`)).body;
  expect(first).toMatchObject({ has_more: true, data: [{ message: "line 0" }, { message: "line 1" }] });
  const next = (await get(`/v1/runs/${String(id)}/logs?limit=2&after=${String(first["last_id"])}`)).body;
  expect(next["data"]).toMatchObject([{ message: "line 2" }, { message: "line 3" }]);
  const errors = (await get(`/v1/runs/${String(id)}/logs?stream=stderr`)).body["data"] as { message: string }[];
  expect(errors.map(({ message }) => message.trim())).toEqual(["oops"]);
});

test("a run is deleted when it has ended, and what it has cost stays the only record under its id", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(i): time.sleep(i.get('s', 0))
    `,
  );
  const { id } = await run(agent_id, { run_id: "once-more", input_payload: { s: 60 } }, { prefer: "respond-async" });
  expect(await call(url, "DELETE", `/v1/runs/${String(id)}`)).toMatchObject({
    status: 409,
    body: { code: "run_not_ended" },
  });
  await waitFor(async () => (await get(`/v1/runs/${String(id)}`)).body["started_at"]);
  await call(url, "POST", `/v1/runs/${String(id)}/complete`, { status: "error" });
  const told = () => stack.sql.query("SELECT 1 FROM notifications WHERE run_id = $1", [id]);
  expect((await told()).rowCount).toBe(1);
  expect((await call(url, "DELETE", `/v1/runs/${String(id)}`)).status).toBe(204);
  expect((await told()).rowCount).toBe(0);
  for (const part of ["", "/stream", "/events", "/timeline", "/logs"])
    expect((await get(`/v1/runs/${String(id)}${part}`)).status).toBe(404);
  const again = await call(url, "POST", "/v1/execute", { agent_id, version: "current", run_id: "once-more" });
  expect(again).toMatchObject({ status: 409, body: { code: "run_id_taken" } });
});

test("a replay takes the version and input of its run, or the given ones; wiped env and files are asked for", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import os
      def main(i): return {'v': 1, 'i': i, 'e': os.environ.get('E')}
    `,
  );
  const first = await run(agent_id, { input_payload: { a: 1 } });
  const config = { source: "def main(i): return {'v': 2, 'i': i}" };
  await call(url, "POST", `/v1/versions/${agent_id}`, { version: "2.0.0", config });
  const replay = (id: unknown, body?: unknown) => call(url, "POST", `/v1/runs/${String(id)}/replay`, body);
  const same = await replay(first["id"]);
  expect(same).toMatchObject({ status: 202, body: { origin: "replay", replay_of: first["id"], version: "1.0.0" } });
  expect((await ended(same.body["id"]))["result_content"]).toEqual({ v: 1, i: { a: 1 }, e: null });
  const edited = await replay(first["id"], { version: "latest", input_payload: { b: 2 } });
  expect((await ended(edited.body["id"]))["result_content"]).toEqual({ v: 2, i: { b: 2 } });
  const withEnv = await run(agent_id, { env_vars: { E: "secret" } });
  expect(await replay(withEnv["id"])).toMatchObject({ status: 409, body: { code: "replay_incomplete" } });
  const given = await replay(withEnv["id"], { env_vars: { E: "abc" } });
  expect((await ended(given.body["id"]))["result_content"]).toMatchObject({ e: "abc" });
  expect((await replay("nothing")).status).toBe(404);
  expect((await replay(first["id"], { version: "9.9.9" })).status).toBe(404);
});

test("a bulk operation is counted before, done in the background, and tells how far it is", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(i):
          if i.get('bad'): raise ValueError()
          return i
    `,
  );
  for (let n = 0; n < 25; n += 1) await run(agent_id, { input_payload: { n, bad: n % 5 === 0 } });
  await run(agent_id, { input_payload: { bad: true }, env_vars: { E: "x" } });
  const filter = { agent_id, status: "error" };
  const ask = (body: unknown) => call(url, "POST", "/v1/runs/bulk/replay", body);
  const preview = await ask({ filter, preview: true });
  expect(preview).toMatchObject({ status: 200, body: { action: "replay", total: 6 } });
  const examples = preview.body["examples"] as { id: string; status: string }[];
  expect(examples).toHaveLength(6);
  const { status } = examples[0] ?? {};
  const some = await ask({ filter: { ...filter, status: [status, "expired"] }, preview: true });
  expect(some.body["total"]).toBe(examples.filter((run) => run.status === status).length);
  expect(await ask({ filter: { ...filter, status: ["nonsense"] }, preview: true })).toMatchObject({ status: 422 });
  const answer = await ask({ filter, input_payload: { fixed: true } });
  expect(answer).toMatchObject({ status: 202, body: { status: "pending", total: 6, done: 0 } });
  const at = `/v1/runs/bulk/${String(answer.body["id"])}`;
  await waitFor(async () => (await get(at)).body["status"] === "done");
  expect((await get(at)).body).toMatchObject({ done: 5, failed: 1, finished_at: expect.any(String) });
  await waitFor(async () => {
    const { body } = await get(`/v1/agents/${agent_id}/runs?status=success&search=fixed`);
    return (body["data"] as unknown[]).length === 5;
  });
  // The runs that it has made are found by its id, also once their metadata is changed.
  const made = async () => {
    const { body } = await get(`/v1/runs?bulk_id=${String(answer.body["id"])}`);
    return body["data"] as { id: string; agent_id: string; origin: string }[];
  };
  const first = await made();
  expect(first).toHaveLength(5);
  expect(first.every((one) => one.agent_id === agent_id && one.origin === "replay")).toBe(true);
  await call(url, "PATCH", `/v1/runs/${first[0]?.id}`, { metadata: { pinned: true } });
  expect((await made()).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  expect((await get(`/v1/runs?bulk_id=${String(answer.body["id"])}&metadata[pinned]=true`)).body["data"]).toHaveLength(
    1,
  );
  expect((await get("/v1/runs?bulk_id=bulk_of_nobody")).body["data"]).toEqual([]);
  expect((await ask({ filter: {} })).status).toBe(422);
});

test.each([
  [{ filter: { status: "running", agentid: "x" } }, ["body", "filter", "agentid"]],
  [{ filter: { status: "running" }, dry_run: true }, ["body", "dry_run"]],
])("a bulk operation does nothing for %j, which may have meant less", async (body, loc) => {
  for (const action of ["cancel", "replay"])
    expect(await call(url, "POST", `/v1/runs/bulk/${action}`, body)).toMatchObject({
      status: 422,
      body: { detail: [{ type: "extra_forbidden", loc }] },
    });
});

test("a list that goes on after a run that was deleted is a 422, and not an end", async () => {
  const agent_id = await makeAgent(url, "def main(i): return {}");
  for (const run_id of ["page-1", "page-2"]) await run(agent_id, { run_id }, { prefer: "wait=20" });
  const after = () => get(`/v1/runs?agent_id=${agent_id}&after=page-2`);
  expect((await after()).body["data"]).toMatchObject([{ id: "page-1" }]);
  expect((await get(`/v1/runs?agent_id=${agent_id}&after=page-1`)).body["data"]).toEqual([]);
  await call(url, "DELETE", "/v1/runs/page-2");
  expect(await after()).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "after"] }] } });
});

test("a bulk replay that is begun anew after a crash replays no run twice", async () => {
  const agent_id = await makeAgent(url, "def main(i): return {}");
  await call(url, "POST", "/v1/execute/batch", {
    requests: Array.from({ length: 90 }, () => ({ agent_id, version: "current" })),
  });
  await waitFor(async () => {
    const { rows } = await stack.sql.query(
      "SELECT count(*)::int AS n FROM runs WHERE agent_id = $1 AND status = 'success'",
      [agent_id],
    );
    return rows[0].n === 90;
  }, 25_000);
  const { body } = await call(url, "POST", "/v1/runs/bulk/replay", { filter: { agent_id } });
  const at = `/v1/runs/bulk/${String(body["id"])}`;
  // As though its process had died after a part: the lease is over, the cursor is back at the start.
  await waitFor(async () => Number((await get(at)).body["done"]) > 0);
  await stack.sql.query(
    "UPDATE bulk_operations SET cursor = NULL, status = 'running', finished_at = NULL, lease_until = now() - interval '1 s' WHERE id = $1",
    [body["id"]],
  );
  await waitFor(async () => (await get(at)).body["status"] === "done", 20_000);
  const { rows } = await stack.sql.query(
    "SELECT count(*)::int AS n, count(DISTINCT replay_of)::int AS of FROM runs WHERE agent_id = $1 AND origin = 'replay'",
    [agent_id],
  );
  expect(rows).toEqual([{ n: 90, of: 90 }]);
});

test("a bulk replay waits for room in the plan's queue, and then runs each run again", async () => {
  const config = { source: "def main(i): return {}" };
  const made = await call(url, "POST", "/v1/agents", { user_id: "planned", name: "a", config });
  const agent_id = String(made.body["id"]);
  for (let n = 0; n < 12; n += 1) await run(agent_id);
  await call(url, "PUT", "/v1/billing/plans/narrow", { name: "Narrow", max_queued_runs: 4 });
  const subscribed = { user_id: "planned", plan_id: "narrow" };
  expect((await call(url, "POST", "/v1/billing/subscriptions", subscribed)).status).toBeLessThan(300);
  const delayed: unknown[] = [];
  const later = { agent_id, version: "current", delay_ms: 3_600_000 };
  // The plan holds within a second.
  await waitFor(async () => {
    const { status, body } = await call(url, "POST", "/v1/execute", later, { prefer: "respond-async" });
    if (status === 202) delayed.push(body["id"]);
    return status === 429;
  });
  const filter = { agent_id, status: "success" };
  const { body } = await call(url, "POST", "/v1/runs/bulk/replay", { filter });
  const rests = `SELECT 1 FROM bulk_operations WHERE id = $1
    AND (status = 'done' OR (status = 'running' AND lease_until < now() + interval '5 s'))`;
  await waitFor(async () => (await stack.sql.query(rests, [body["id"]])).rowCount === 1);
  const at = `/v1/runs/bulk/${String(body["id"])}`;
  expect((await get(at)).body).toMatchObject({ status: "running", done: 0, failed: 0 });
  for (const id of delayed) await call(url, "POST", `/v1/runs/${String(id)}/cancel`);
  await waitFor(async () => (await get(at)).body["status"] === "done", 40_000);
  expect((await get(at)).body).toMatchObject({ done: 12, failed: 0 });
  const { rows } = await stack.sql.query(
    "SELECT count(*)::int AS n, count(DISTINCT replay_of)::int AS of FROM runs WHERE agent_id = $1 AND origin = 'replay'",
    [agent_id],
  );
  expect(rows).toEqual([{ n: 12, of: 12 }]);
}, 60_000);

test("a bulk cancel ends what waits and what runs, and nothing else", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(i): time.sleep(60)
    `,
  );
  const other = await run(agent_id, { thread_id: "kept" }, { prefer: "respond-async" });
  const mine = await Promise.all(
    [1, 2, 3].map(() => run(agent_id, { thread_id: "cancelled" }, { prefer: "respond-async" })),
  );
  await call(url, "POST", "/v1/runs/bulk/cancel", { filter: { thread_id: "cancelled" } });
  for (const { id } of mine) expect((await ended(id))["status"]).toBe("cancelled");
  expect((await get(`/v1/runs/${String(other["id"])}`)).body["completed_at"]).toBeNull();
});

test("a preview with a text to search for looks at the newest 10,000 runs, as lists do, and says that there are more", async () => {
  const agent_id = await makeAgent(url, "def main(input): return {}");
  const first = await run(agent_id, { input_payload: { word: "needle" } });
  const { rows } = await stack.sql.query<{ names: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
     WHERE table_name = 'runs' AND column_name NOT IN ('id', 'created_at', 'input_payload')`,
  );
  const names = rows[0]?.names;
  await stack.sql.query(
    `INSERT INTO runs (id, created_at, input_payload, ${names})
     SELECT id || '-' || n, created_at + n * interval '1 ms', CASE WHEN n > 10040 THEN input_payload ELSE '{}' END, ${names}
     FROM runs, generate_series(1, 10050) AS n WHERE id = $1`,
    [first["id"]],
  );
  const preview = async (filter: object) => {
    const { body } = await call(url, "POST", "/v1/runs/bulk/replay", { filter, preview: true });
    return [body["total"], body["more"], (body["examples"] as unknown[]).length];
  };
  // The first run has the word, too, and is too old.
  expect(await preview({ agent_id, search: "needle" })).toEqual([10, true, 10]);
  expect(await preview({ agent_id })).toEqual([10_051, false, 10]);
  expect(await preview({ agent_id, search: "needle", since: first["created_at"], until: first["created_at"] })).toEqual(
    [0, false, 0],
  );
});
