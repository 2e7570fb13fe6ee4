import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ STORE_ITEMS_PER_USER: "4", INTERNAL_TOKEN: "t".repeat(32) });

const put = (item: Record<string, unknown>) => call(url, "PUT", "/v1/store/items", item);
const named = (user_id: string, namespace: string, key: string) =>
  `/v1/store/items?user_id=${user_id}&namespace=${namespace}&key=${key}`;
const find = async (body: Record<string, unknown>) =>
  ((await call(url, "POST", "/v1/store/items/search", body)).body["data"] as { key: string }[]).map(({ key }) => key);

test("an item is written, read, replaced and deleted, for its user alone", async () => {
  const item = { user_id: "ada", namespace: ["memories", "x"], key: "likes", value: { food: "pizza" } };
  const made = await put(item);
  expect(made).toMatchObject({ status: 200, body: { ...item, object: "store_item", expires_at: null } });
  const again = await put({ ...item, value: { food: "soup" } });
  expect(again.body).toMatchObject({ value: { food: "soup" }, created_at: made.body["created_at"] });
  expect((await call(url, "GET", named("ada", "memories.x", "likes"))).body).toEqual(again.body);
  for (const path of [
    named("bob", "memories.x", "likes"),
    named("ada", "memories", "likes"),
    named("ada", "memories.x", "l"),
  ])
    expect(await call(url, "GET", path)).toMatchObject({ status: 404, body: { code: "store_item_not_found" } });
  expect((await call(url, "DELETE", named("ada", "memories.x", "likes"))).status).toBe(204);
  expect((await call(url, "DELETE", named("ada", "memories.x", "likes"))).status).toBe(404);
});

test("a page of a search ends with the item that fills it, and says that there are more", async () => {
  const value = { text: "x".repeat(60_000) };
  await stack.sql.query("INSERT INTO users (id) VALUES ('collector') ON CONFLICT DO NOTHING");
  await stack.sql.query(
    `INSERT INTO store_items (user_id, namespace, key, value) SELECT 'collector', 'n', 'k' || i, $1 FROM generate_series(1, 150) AS i`,
    [value],
  );
  const pages: number[] = [];
  for (let offset = 0, more = true; more; offset += pages.at(-1) ?? 0) {
    const { body } = await call(url, "POST", "/v1/store/items/search", { user_id: "collector", limit: 1_000, offset });
    pages.push((body["data"] as unknown[]).length);
    more = body["has_more"] === true;
  }
  expect([pages.length, pages.reduce((sum, count) => sum + count, 0)]).toEqual([3, 150]);
});

test("items are found below a namespace and by fields of their values", async () => {
  const user_id = "finder";
  const values = { a: { n: 1, kind: "x" }, b: { n: 2, kind: "x", tags: ["t"] }, c: { n: "2", kind: null } };
  for (const [key, value] of Object.entries(values)) await put({ user_id, namespace: ["top", key], key, value });
  const by = (filter: object) => find({ user_id, filter });
  expect(await by({ kind: "x" })).toEqual(["b", "a"]);
  expect(await by({ n: { $gte: 2 } })).toEqual(["b"]);
  expect(await by({ n: { $gt: 0, $lt: 2 } })).toEqual(["a"]);
  expect(await by({ n: { $ne: 1 }, kind: { $ne: "x" } })).toEqual(["c"]);
  expect(await by({ kind: null })).toEqual(["c"]);
  expect(await by({ tags: ["t"] })).toEqual(["b"]);
  expect(await find({ user_id, namespace_prefix: ["top", "b"] })).toEqual(["b"]);
  expect(await find({ user_id, namespace_prefix: ["to"] })).toEqual([]);
  expect(await call(url, "POST", "/v1/store/items/search", { user_id, limit: 2 })).toMatchObject({
    body: { has_more: true, data: [{ key: "c" }, { key: "b" }] },
  });
  const list = async (body: object) =>
    (await call(url, "POST", "/v1/store/namespaces", { user_id, ...body })).body["data"];
  expect(await list({})).toEqual([
    ["top", "a"],
    ["top", "b"],
    ["top", "c"],
  ]);
  expect(await list({ max_depth: 1 })).toEqual([["top"]]);
  expect(await list({ prefix: ["*", "b"] })).toEqual([["top", "b"]]);
  expect(await list({ suffix: ["c"] })).toEqual([["top", "c"]]);
});

test("an item with a time to live is gone after it, unless it is read", async () => {
  const user_id = "mortal";
  const item = { user_id, namespace: ["n"], key: "k", value: {}, ttl_seconds: 60 };
  const made = await put(item);
  const later = (seconds: number) =>
    stack.sql.query("UPDATE store_items SET expires_at = expires_at - $1 * interval '1 s' WHERE user_id = $2", [
      seconds,
      user_id,
    ]);
  await later(30);
  const kept = await call(url, "GET", `${named(user_id, "n", "k")}&refresh_ttl=false`);
  expect(String(kept.body["expires_at"]) < String(made.body["expires_at"])).toBe(true);
  const read = await call(url, "GET", named(user_id, "n", "k"));
  expect(String(read.body["expires_at"]) >= String(made.body["expires_at"])).toBe(true);
  await later(61);
  expect((await call(url, "GET", named(user_id, "n", "k"))).status).toBe(404);
  expect(await find({ user_id })).toEqual([]);
  const purge = await call(
    url,
    "POST",
    "/v1/internal/jobs/purge-transcripts",
    {},
    { authorization: `Bearer ${"t".repeat(32)}` },
  );
  expect(purge.body).toMatchObject({ result: { store_items: 1 } });
  expect((await put(item)).status).toBe(200);
});

test("a user has only so many items, and expired ones don't count", async () => {
  const user_id = "hoarder";
  const make = (key: string) => put({ user_id, namespace: ["n"], key, value: {}, ttl_seconds: 60 });
  const made = await Promise.all(["a", "b", "c", "d", "e", "f"].map(make));
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 409, 409]);
  expect(made.find(({ status }) => status === 409)?.body["code"]).toBe("too_many_store_items");
  await stack.sql.query("UPDATE store_items SET expires_at = now() WHERE user_id = $1", [user_id]);
  expect((await make("g")).status).toBe(200);
});

test("a faulty item is a 422 that names its field", async () => {
  const item = { namespace: ["n"], key: "k", value: {} };
  const faults: [Record<string, unknown>, string][] = [
    [{ ...item, namespace: [] }, "namespace"],
    [{ ...item, namespace: ["a.b"] }, "namespace"],
    [{ ...item, namespace: ["ä".repeat(128), "ö".repeat(128), "ü".repeat(128), "ß".repeat(128), "x"] }, "namespace"],
    [{ ...item, key: "" }, "key"],
    [{ ...item, key: "a\0" }, "key"],
    [{ ...item, value: [] }, "value"],
    [{ ...item, value: { a: "x".repeat(70_000) } }, "value"],
    [{ ...item, value: { a: ["\0"] } }, "value"],
    [{ ...item, value: { a: "\ud800" } }, "value"],
    [{ ...item, ttl_seconds: 0 }, "ttl_seconds"],
  ];
  for (const [body, field] of faults)
    expect(await put(body)).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field] }] } });
  expect((await put({ ...item, value: { a: "\\u0000" } })).status).toBe(200);
  const search = await call(url, "POST", "/v1/store/items/search", { filter: { a: { $in: [1] } } });
  expect(search).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "filter"] }] } });
  // The longest names that are allowed fit into the index.
  const long = () =>
    Array.from({ length: 256 }, () => String.fromCodePoint(0x1_f600 + Math.floor(Math.random() * 60))).join("");
  const labels = Array.from({ length: 8 }, () =>
    Math.random().toString(36).slice(2).padEnd(12, "x").repeat(10).slice(0, 120),
  );
  expect((await put({ user_id: "long", namespace: labels, key: long(), value: {} })).status).toBe(200);
});
