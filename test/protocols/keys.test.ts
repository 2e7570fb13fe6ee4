import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../api/http/define-operation.ts";
import { langgraph } from "../../api/protocols/langgraph/langgraph.ts";
import { protocols } from "../../api/protocols/protocols.ts";
import { scopes } from "../../shared/schemas/scope.ts";
import { call, execute } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { makeKey } from "../harness/make-key.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService({ api: { AUTH_MODE: "key", RATE_LIMIT_PER_MINUTE: "0" } });
const [owner, stranger] = [await makeOwner(), await makeOwner()];

type Ids = { agent: string; model: string; chat: string; response_id: string };

/** How an operation is asked whose path alone does not say it, by name. */
const bodies: Record<string, (ids: Ids) => object> = {
  openai_create_chat_completion: ({ model }) => ({ model, messages: [{ role: "user", content: "hi" }] }),
  openai_create_response: ({ model }) => ({ model, input: "hi" }),
  ai_sdk_send_messages: () => ({ id: newId(), messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }] }),
  ag_ui_run_agent: () => ({ threadId: newId(), runId: newId(), messages: [{ role: "user", content: "hi" }] }),
};
/** Operations that list the caller's own things, or have nothing to say of another's. */
const own = new Map([
  ["openai_list_models", 200],
  ["ai_sdk_reconnect", 204],
]);

function newId(): string {
  return `id${randomBytes(6).toString("hex")}`;
}

async function makeOwner(): Promise<{ user_id: string; key: string; ids: Ids }> {
  const user_id = newId();
  const key = await makeKey(stack, user_id, ["*"]);
  const headers = { authorization: `Bearer ${key}` };
  const source = py`
    def main(input): return "done"
  `;
  const made = await call(url, "POST", "/v1/agents", { user_id, name: "a", config: { source } }, headers);
  const agent = String(made.body["id"]);
  const chat = newId();
  const request = { agent_id: agent, version: "current", thread_id: chat };
  const run = (await (await execute(url, request, { ...headers, prefer: "wait=20" })).json()) as { id: string };
  return { user_id, key, ids: { agent, model: agent, chat, response_id: run.id } };
}

async function ask({ name, method, path }: Operation<never>, ids: Ids, key: string | null) {
  const body = bodies[name]?.(ids);
  const at = path.replaceAll(/\{(\w+)\}/g, (_, part: keyof Ids) => ids[part]);
  const response = await fetch(url + at, {
    method: method.toUpperCase(),
    headers: { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Routes of scope `any` check the scope of the method that is called; a2a.test.ts and mcp.test.ts try that. LangGraph's routes
 * are tried in langgraph-keys.test.ts.
 */
const all = protocols
  .flatMap(({ prefix, operations }) => (prefix === langgraph.prefix ? [] : operations))
  .filter(({ scope }) => scope !== "any")
  .map((operation) => [operation.name, operation] as const);

test("every route lies under the prefix of its protocol, and no two prefixes overlap", () => {
  const strays = protocols.flatMap(({ prefix, operations }) =>
    operations.filter(({ path }) => path !== prefix && !path.startsWith(`${prefix}/`)),
  );
  expect(strays).toEqual([]);
  const prefixes = protocols.map(({ prefix }) => `${prefix}/`);
  expect(prefixes.filter((one) => prefixes.some((other) => one !== other && one.startsWith(other)))).toEqual([]);
});

describe.each(all)("%s", (name, operation) => {
  test("no key and a key without the scope are refused", async () => {
    expect((await ask(operation, owner.ids, null)).status).toBe(401);
    const others = scopes.filter((scope) => ![operation.scope, "admin", "*"].includes(scope));
    expect((await ask(operation, owner.ids, await makeKey(stack, owner.user_id, others))).status).toBe(403);
  });

  test("another owner's key finds nothing", async () => {
    const { status, text } = await ask(operation, owner.ids, stranger.key);
    expect([status, text.includes(owner.ids.agent) && status === 200]).toEqual([own.get(name) ?? 404, false]);
  });

  test("its owner's key with just this scope is enough", async () => {
    const { ids, user_id } = operation.method === "get" ? owner : await makeOwner();
    expect((await ask(operation, ids, await makeKey(stack, user_id, [operation.scope]))).status).toBeLessThan(300);
  });
});

test("an error has the shape of the protocol whose path was asked, also where there is no such path", async () => {
  const shapes = await Promise.all(
    ["/openai/v1/nothing", "/ai-sdk/a/b/c/d", "/ag-ui/a/b", "/v1/nothing"].map(async (path) => {
      const response = await fetch(url + path, { method: "POST" });
      const text = await response.text();
      return [response.status, text.startsWith("{") ? Object.keys(JSON.parse(text) as object) : text];
    }),
  );
  expect(shapes).toEqual([
    [404, ["error"]],
    [404, "Not Found"],
    [404, "Not Found"],
    [404, ["detail", "code", "request_id"]],
  ]);
});
