import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { call, execute, type SentEvent, readEvents } from "../harness/client.ts";
import { openModelProvider } from "../harness/model-provider.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const admin = randomBytes(32).toString("hex");
const secrets = { alice: "sk-of-alice-0123456789", bob: "sk-of-bob-9876543210" };
type Owner = keyof typeof secrets;
const owners = Object.keys(secrets) as Owner[];
const providers = {
  alice: await openModelProvider(secrets.alice),
  bob: await openModelProvider(secrets.bob),
};
afterAll(() => owners.forEach((owner) => providers[owner].close()));
const stack = await useTestStack();
const { url } = await stack.startService({
  api: { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, RATE_LIMIT_PER_MINUTE: "0" },
  worker: {
    EGRESS_ALLOW: owners.map((owner) => `127.0.0.1:${providers[owner].port}`).join(),
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
  },
});

type Headers = { authorization: string };
async function keyOf(user_id: string, scopes: readonly string[] = ["*"]): Promise<Headers> {
  const { id, text, secret_hash } = newCredential("key");
  await stack.sql.query("INSERT INTO users (id) VALUES ($1) ON CONFLICT DO NOTHING", [user_id]);
  const values = [id, user_id, secret_hash, scopes];
  await stack.sql.query("INSERT INTO api_keys (id, user_id, secret_hash, scopes) VALUES ($1, $2, $3, $4)", values);
  return { authorization: `Bearer ${text}` };
}
const keys = { alice: await keyOf("alice"), bob: await keyOf("bob") };
for (const owner of owners)
  await call(
    url,
    "PUT",
    "/v1/connections/openai",
    { preset: "openai", base_url: `${providers[owner].url}/v1`, secret: secrets[owner] },
    keys[owner],
  );

/** Asks once, and says the status that it was answered. */
const asks = py`
  import json, os, urllib.request
  from urllib.error import HTTPError
  def main(input):
      body = {"model": "gpt-5-mini", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
      request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
      try:
          with urllib.request.urlopen(request, timeout=20) as answer: return answer.status
      except HTTPError as error: return error.code
`;

async function agentOf(owner: Owner, config: object = {}): Promise<string> {
  const made = { user_id: owner, name: "agent", config: { source: asks, connections: ["openai"], ...config } };
  return String((await call(url, "POST", "/v1/agents", made, keys[owner])).body["id"]);
}
const run = async (agent_id: string, headers: Headers): Promise<SentEvent | undefined> =>
  (await readEvents(await execute(url, { agent_id, version: "current" }, headers))).at(-1);
const answered = async (agent_id: string, headers: Headers): Promise<unknown> =>
  ((await run(agent_id, headers))?.data["result_content"] as { output: unknown } | undefined)?.output;
const callsOf = (owner: Owner) => providers[owner].calls.splice(0).map(({ key }) => key);

test("a run's calls have its owner's key, whoever starts it; nobody else's run has it", async () => {
  const agents = { alice: await agentOf("alice"), bob: await agentOf("bob") };
  const asAdmin = { authorization: `Bearer ${admin}` };
  for (const owner of owners) {
    const other = owner === "alice" ? "bob" : "alice";
    expect(await answered(agents[owner], keys[owner])).toBe(200);
    expect(await answered(agents[owner], asAdmin)).toBe(200);
    expect((await execute(url, { agent_id: agents[owner], version: "current" }, keys[other])).status).toBe(404);
    expect([callsOf(owner), callsOf(other)]).toEqual([[secrets[owner], secrets[owner]], []]);
  }
});

test("a budget counts the calls of its own agent only: another agent's and another owner's calls leave", async () => {
  // A call reserves 134 tokens, and costs some 44.
  const budget = { agent_day: { tokens: 150 } };
  const spent = await agentOf("alice", { budget });
  const others = [
    { owner: "alice", agent: await agentOf("alice", { budget }) },
    { owner: "bob", agent: await agentOf("bob", { budget }) },
  ] as const;
  expect(await answered(spent, keys.alice)).toBe(200);
  expect(await answered(spent, keys.alice)).toBe(402);
  for (const { owner, agent } of others) expect(await answered(agent, keys[owner])).toBe(200);
  expect([callsOf("alice").length, callsOf("bob").length]).toEqual([2, 1]);
});

test("a rule holds the calls of its own agent, and only its owner's key that may write runs lets one go", async () => {
  const asked = await agentOf("alice", { approvals: [{ method: "POST" }] });
  const free = await agentOf("alice");
  const question = await run(asked, keys.alice);
  expect(question?.event).toBe("run.interrupted");
  expect(await answered(free, keys.alice)).toBe(200);
  expect(callsOf("alice")).toHaveLength(1);
  const path = `/v1/runs/${String(question?.data["run_id"])}/resume`;
  const answer = async (headers: Record<string, string>) =>
    (await call(url, "POST", path, { response: { approved: true } }, { prefer: "respond-async", ...headers })).status;
  expect(await answer({})).toBe(401);
  expect(await answer(keys.bob)).toBe(404);
  expect(await answer(await keyOf("alice", ["runs:read", "connections:write"]))).toBe(403);
  expect(callsOf("alice")).toEqual([]);
  expect(await answer(await keyOf("alice", ["runs:write"]))).toBe(202);
  const stream = `${url}/v1/runs/${String(question?.data["run_id"])}/stream`;
  const events = await readEvents(
    await fetch(stream, { headers: { ...keys.alice, "last-event-id": question?.id ?? "" } }),
  );
  expect(events.at(-1)?.data["result_content"]).toEqual({ output: 200 });
  expect(callsOf("alice")).toEqual([secrets.alice]);
});
