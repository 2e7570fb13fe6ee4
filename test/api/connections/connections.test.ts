import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ CONNECTIONS_PER_USER: "12" });

const secret = `sk-${randomBytes(16).toString("hex")}`;
const put = (name: string, body: object, query = "") => call(url, "PUT", `/v1/connections/${name}${query}`, body);
const get = (name: string, query = "") => call(url, "GET", `/v1/connections/${name}${query}`);

test("a preset knows the address and how the key is sent; the secret comes back from nowhere", async () => {
  const made = await put("openai", { preset: "openai", secret });
  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({ name: "openai", kind: "bearer", base_url: "https://api.openai.com/v1", agent_id: null }),
  ]);
  const again = await put("openai", {
    preset: "openai",
    base_url: "https://llm.example.com/v1/",
    secret: `${secret}2`,
  });
  expect([again.status, again.body]).toEqual([
    200,
    { ...made.body, base_url: "https://llm.example.com/v1", updated_at: again.body["updated_at"] },
  ]);
  const answers = [made, again, await get("openai"), await call(url, "GET", "/v1/connections")];
  expect(answers.every(({ status }) => status < 300)).toBe(true);
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret);
  const { rows } = await stack.sql.query("SELECT row_to_json(c)::text AS row FROM connections c");
  const sealed = JSON.stringify(rows);
  expect([sealed.includes(secret), sealed.includes(Buffer.from(secret).toString("hex"))]).toEqual([false, false]);
});

test("an agent's connection is another one than its owner's of the same name, and goes with the agent", async () => {
  const agent_id = await makeAgent(url, "def main(i): return i");
  const query = `?agent_id=${agent_id}`;
  expect((await get("anthropic", query)).status).toBe(404);
  expect((await put("anthropic", { preset: "anthropic", secret })).status).toBe(201);
  const own = await put("anthropic", { preset: "anthropic", base_url: "https://a.example.com", secret }, query);
  expect([own.status, own.body["agent_id"], own.body["kind"], own.body["header"]]).toEqual([
    201,
    agent_id,
    "header",
    "x-api-key",
  ]);
  expect((await get("anthropic")).body).toMatchObject({ agent_id: null, base_url: "https://api.anthropic.com/v1" });
  const listed = await call(url, "GET", `/v1/connections${query}`);
  expect((listed.body["data"] as { id: string }[]).map(({ id }) => id)).toEqual([own.body["id"]]);
  expect((await call(url, "DELETE", `/v1/connections/anthropic`)).status).toBe(204);
  expect([(await get("anthropic")).status, (await get("anthropic", query)).status]).toEqual([404, 200]);
  expect((await call(url, "DELETE", `/v1/agents/${agent_id}`)).status).toBe(204);
  expect((await get("anthropic", query)).body).toMatchObject({ code: "agent_not_found" });
  expect((await put("x", { preset: "openai", secret }, "?agent_id=nobody")).body).toMatchObject({
    code: "agent_not_found",
  });
});

test("what a connection can't be is refused, with the field that is wrong", async () => {
  const at = async (body: object) => {
    const { status, body: answer } = await put("service", { secret, ...body });
    return [status, (answer["detail"] as { loc: string[] }[])[0]?.loc.join(".")];
  };
  const kind = "bearer";
  const base_url = "https://example.com";
  for (const [field, body] of [
    ["base_url", {}],
    ["base_url", { preset: "azure" }],
    ["base_url", { preset: "openai_compatible" }],
    ["base_url", { kind, base_url: "ftp://example.com" }],
    ["base_url", { kind, base_url: "https://user:password@example.com" }],
    ["base_url", { kind, base_url: "https://example.com?key=1" }],
    ["base_url", { kind, base_url: "https://example.com/#x" }],
    ["kind", { base_url }],
    ["kind", { base_url, kind: "oauth" }],
    ["header", { base_url, kind: "header" }],
    ["header", { base_url, kind, header: "x-key" }],
    ["header", { base_url, kind: "header", header: "Host" }],
    ["header", { base_url, kind: "header", header: "transfer-encoding" }],
    ["header", { base_url, kind: "header", header: "a b" }],
    ["username", { base_url, kind: "basic" }],
    ["username", { base_url, kind, username: "u" }],
    ["username", { base_url, kind: "basic", username: "a:b" }],
    ["preset", { preset: "nobody" }],
    ["secret", { preset: "openai", secret: "short" }],
    ["secret", { preset: "openai", secret: "sk-12345678\r\nX: y" }],
    ["requests_per_minute", { preset: "openai", requests_per_minute: 0 }],
    ["unknown", { preset: "openai", unknown: 1 }],
  ] as const)
    expect([field, await at(body)]).toEqual([field, [422, `body.${field}`]]);
  expect((await put("Service", { preset: "openai", secret })).status).toBe(422);
  expect((await put("service", { base_url, kind: "basic", username: "ada", secret })).status).toBe(201);
});

test("a connection that stands is replaced, though its owner may have no more", async () => {
  await Promise.all(Array.from({ length: 12 }, (_, n) => put(`more-${n}`, { preset: "openai", secret })));
  expect((await put("one-more", { preset: "openai", secret })).body).toMatchObject({ code: "too_many_connections" });
  expect((await put("openai", { preset: "openai", secret })).status).toBe(200);
});

test("the audit log says who has set a connection, and where it leads", async () => {
  await put("openai", { preset: "openai", base_url: "https://audited.example.com", secret });
  const { rows } = await stack.sql.query(
    "SELECT action, target_type, target_id, detail FROM audit_log WHERE target_type = 'connection' ORDER BY created_at DESC, id DESC LIMIT 1",
  );
  expect(rows).toEqual([
    {
      action: "put_connection",
      target_type: "connection",
      target_id: "openai",
      detail: { agent_id: null, base_url: "https://audited.example.com" },
    },
  ]);
});
