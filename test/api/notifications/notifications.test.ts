import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { readFrom } from "../../../shared/store/notifications/follow-notifications.ts";
import { call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

type Item = { id: string; type: string; title: string; read_at: string | null };
const post = (user_id: string, title: string, more: Record<string, unknown> = {}) =>
  call(url, "POST", "/v1/notifications", { user_id, type: "report.ready", title, ...more });
const list = async (query: string) => (await call(url, "GET", `/v1/notifications?${query}`)).body["data"] as Item[];
const unread = async (user: string) =>
  (await call(url, "GET", `/v1/notifications/count?user_id=${user}`)).body["unread"];

test("what is posted is listed, newest first, counted, found by its filters, marked and deleted", async () => {
  const user = "reader";
  const made = [];
  for (const title of ["one", "two", "three"]) made.push(await post(user, title, { level: "warning", agent_id: "a1" }));
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(made[0]?.body).toMatchObject({ object: "notification", level: "warning", read_at: null, data: {} });
  await post(user, "other", { type: "other" });
  expect((await list(`user_id=${user}`)).map(({ title }) => title)).toEqual(["other", "three", "two", "one"]);
  expect(await list(`user_id=${user}&type=other`)).toMatchObject([{ title: "other" }]);
  expect(await list(`user_id=${user}&agent_id=a1&level=warning&limit=1`)).toMatchObject([{ title: "three" }]);
  expect(await unread(user)).toBe(4);

  const ids = made.slice(0, 2).map(({ body }) => body["id"]);
  const read = await call(url, "POST", "/v1/notifications/read", { ids: [...ids, "notif_none"] });
  expect(read.body).toEqual({ changed: 2 });
  expect((await call(url, "POST", "/v1/notifications/read", { ids })).body).toEqual({ changed: 0 });
  expect((await list(`user_id=${user}&unread=true`)).map(({ title }) => title)).toEqual(["other", "three"]);
  const put = await call(url, "PUT", `/v1/notifications/${String(ids[0])}`, { read: false });
  expect(put).toMatchObject({ status: 200, body: { title: "one", read_at: null } });
  expect(await unread(user)).toBe(3);
  const all = await call(url, "POST", "/v1/notifications/read-all", { user_id: user, type: "report.ready" });
  expect(all.body).toEqual({ changed: 2 });
  expect(await unread(user)).toBe(1);

  const path = `/v1/notifications/${String(ids[0])}`;
  expect((await call(url, "GET", path)).status).toBe(200);
  expect((await call(url, "DELETE", path)).status).toBe(204);
  expect([(await call(url, "GET", path)).status, (await call(url, "DELETE", path)).status]).toEqual([404, 404]);
});

test("one dedup_key tells a user once, however many say it at once; another user is another matter", async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post("once", "the disk is full", { dedup_key: "disk" })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(1);
  expect(await list("user_id=once")).toHaveLength(1);
  expect((await post("another", "the disk is full", { dedup_key: "disk" })).status).toBe(201);
});

test("a type that a user doesn't want to see in the app isn't listed, counted or found; `*` is all others", async () => {
  const path = "/v1/notifications/preferences?user_id=picky";
  expect((await call(url, "GET", path)).body).toEqual({ user_id: "picky", preferences: [] });
  const preferences = [
    { type: "*", in_app: false, webhook: true },
    { type: "report.ready", in_app: true, webhook: true },
  ];
  expect((await call(url, "PUT", path, { preferences })).body).toEqual({ user_id: "picky", preferences });
  const hidden = await post("picky", "hidden", { type: "gossip", dedup_key: "g" });
  expect([hidden.status, (await post("picky", "hidden", { type: "gossip", dedup_key: "g" })).status]).toEqual([
    201, 200,
  ]);
  await post("picky", "shown");
  expect(await list("user_id=picky")).toMatchObject([{ title: "shown" }]);
  expect(await unread("picky")).toBe(1);
  expect((await call(url, "GET", `/v1/notifications/${String(hidden.body["id"])}`)).status).toBe(404);
  await call(url, "PUT", path, { preferences: [] });
  await post("picky", "again", { type: "gossip" });
  expect(await unread("picky")).toBe(2);
});

test("what can't be one is a 422 or, of a stream's cursor, a 400", async () => {
  expect((await post("reader", "")).status).toBe(422);
  expect((await post("reader", "x", { type: "No Type" })).status).toBe(422);
  expect((await post("reader", "x", { level: "loud" })).status).toBe(422);
  expect((await call(url, "POST", "/v1/notifications/read", { ids: [] })).status).toBe(422);
  const answer = await call(url, "GET", "/v1/notifications/stream?after=nonsense");
  expect(answer).toMatchObject({ status: 400, body: { code: "malformed_cursor" } });
});

/** Reads `count` notifications of a user's stream. */
async function follow(user: string, count: number, after?: string) {
  const response = await fetch(`${url}/v1/notifications/stream?user_id=${user}`, {
    headers: after === undefined ? {} : { "last-event-id": after },
  });
  let seen = 0;
  return { response, events: readEvents(response, () => ++seen >= count) };
}

test("a stream shows the new ones at once, and goes on after Last-Event-ID with no gap and no repeat", async () => {
  await post("follower", "before");
  const { response, events } = await follow("follower", 2);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const sentAt = performance.now();
  for (const title of ["1", "2"]) await post("follower", title);
  const first = await events;
  expect(performance.now() - sentAt).toBeLessThan(5_000);
  expect(first.map(({ event, data }) => [event, data["title"]])).toEqual([
    ["notification", "1"],
    ["notification", "2"],
  ]);
  for (const title of ["3", "4", "5"]) await post("follower", title);
  await post("follower-too", "not theirs");
  // The one that it stopped at is deleted meanwhile.
  await call(url, "DELETE", `/v1/notifications/${String(first[1]?.data["id"])}`);
  const second = await (await follow("follower", 3, first[1]?.id)).events;
  expect(second.map(({ data }) => data["title"])).toEqual(["3", "4", "5"]);
});

test("what is told behind Redis' back reaches a stream, and a cursor of another database begins now", async () => {
  const insert = "INSERT INTO notifications (id, user_id, type, title) VALUES ($1, 'quietly', 't', $1)";
  const first = await follow("quietly", 2, "999999999999999-notif_of_before_the_restore");
  await stack.sql.query(insert, ["notif_a"]);
  // The reader waits by now: it was asked for one, and has shown it.
  await sleep(2_500);
  await stack.sql.query(insert, ["notif_b"]);
  expect((await first.events).map(({ data }) => data["title"])).toEqual(["notif_a", "notif_b"]);
});

test("a backlog of hundreds comes whole and in order, to many readers at once", async () => {
  await stack.sql.query(
    "INSERT INTO notifications (id, user_id, type, title) SELECT 'notif_' || lpad(g::text, 4, '0'), 'hoarder', 't', g FROM generate_series(1, 1234) g",
  );
  const readers = await Promise.all(Array.from({ length: 20 }, () => follow("hoarder", 1235, "1-a")));
  await post("hoarder", "1235");
  const titles = Array.from({ length: 1235 }, (_, i) => String(i + 1));
  for (const { events } of readers) expect((await events).map(({ data }) => data["title"])).toEqual(titles);
});

test("a notification's data are 64 KiB at most, as other metadata are", async () => {
  expect((await post("heavy", "fits", { data: { text: "x".repeat(65_000) } })).status).toBe(201);
  const refused = await post("heavy", "too large", { data: { text: "x".repeat(66_000) } });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "data"] }] } });
});

test("a stream reads a page of large notifications up to 4 MiB, and then the next", async () => {
  // Stored by an earlier version.
  await stack.sql.query(
    `INSERT INTO notifications (id, user_id, type, title, data)
     SELECT 'notif_' || g, 'laden', 't', g, json_build_object('text', repeat('x', 1500000)) FROM generate_series(1, 5) g`,
  );
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  const page = await readFrom(db, "laden", { place: { xact: 1n, id: "" }, known: null, limit: 100 });
  await db.close();
  expect(page.map(({ notification }) => notification.title)).toEqual(["1", "2", "3"]);
  const { events } = await follow("laden", 5, "1-a");
  expect((await events).map(({ data }) => data["title"])).toEqual(["1", "2", "3", "4", "5"]);
});

test("a stream that begins now leaves out what was told before, even while an older transaction still runs", async () => {
  const older = new pg.Client({ connectionString: stack.databaseUrl });
  await older.connect();
  await older.query("BEGIN");
  await older.query("SELECT pg_current_xact_id()");
  await post("starter", "before");
  const { events } = await follow("starter", 1);
  await post("starter", "after");
  await older.query("COMMIT");
  expect((await events).map(({ data }) => data["title"])).toEqual(["after"]);
  await older.end();
});

test("a notification that is committed after a later one is neither left out of a stream nor told twice", async () => {
  const slow = new pg.Client({ connectionString: stack.databaseUrl });
  await slow.connect();
  await slow.query("BEGIN");
  const insert = "INSERT INTO notifications (id, user_id, type, title) VALUES ($1, 'slowly', 't', $1)";
  const { events } = await follow("slowly", 3);
  await slow.query(insert, ["notif_0000_slow"]);
  await post("slowly", "fast");
  // Long enough for a reader that looks each second to have passed it by.
  await sleep(1_500);
  await slow.query("COMMIT");
  await slow.end();
  await post("slowly", "last");
  const titles = (await events).map(({ data }) => data["title"]);
  expect(titles.toSorted()).toEqual(["fast", "last", "notif_0000_slow"]);
  expect(titles.at(-1)).toBe("last");
});

test("a run that fails or runs out of time tells its owner, once; one that succeeds doesn't", async () => {
  const run = async (source: string, config: Record<string, unknown> = {}) => {
    const agent_id = await makeAgent(url, source, config);
    const response = await execute(url, { agent_id, version: "current" });
    await readEvents(response);
    return response.headers.get("x-run-id") ?? "";
  };
  const failed = await run("def main(i): raise ValueError('no luck')");
  const late = await run(
    py`
      import time
      def main(i): time.sleep(60)
    `,
    { limits: { timeout_ms: 300 } },
  );
  const fine = await run("def main(i): return 1");
  expect(await waitFor(async () => (await list(`run_id=${failed}`))[0])).toMatchObject({
    type: "run.error",
    level: "error",
    user_id: "tester",
    run_id: failed,
    body: "no luck",
    data: { status: "error", code: "agent_error" },
  });
  expect(await list(`run_id=${late}`)).toMatchObject([{ type: "run.timeout" }]);
  expect(await list(`run_id=${fine}`)).toEqual([]);
  expect(await list(`run_id=${failed}`)).toHaveLength(1);
});
