import { once } from "node:events";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const key = "k".repeat(32);
const stack = await useTestStack();
const [{ url }, { url: limited }] = await Promise.all([
  stack.startService({ worker: { CALLBACK_ALLOW_CIDRS: "" } }),
  stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: key, RATE_LIMIT_PER_MINUTE: "3" }),
]);

/** An answer's headers, and the bytes of its body as they were sent. */
async function bytesOf(path: string, encodings: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const asked = get(url + path, { headers: { "accept-encoding": encodings } });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { headers: response.headers, body: Buffer.concat(await response.toArray()) };
}

test("JSON is compressed as the client accepts it, unless it is small; a stream never is", async () => {
  const plain = (await bytesOf("/openapi.json", "identity")).body;
  const [br, gzip, none] = await Promise.all([
    bytesOf("/openapi.json", "gzip, deflate, br"),
    bytesOf("/openapi.json", "gzip"),
    bytesOf("/openapi.json", "zstd"),
  ]);
  expect(br.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(br.body).equals(plain)).toBe(true);
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.body).equals(plain)).toBe(true);
  expect(none.headers).not.toHaveProperty("content-encoding");
  expect(none.headers.vary).toBe("Accept-Encoding");
  expect(br.body.length).toBeLessThan(plain.length / 5);
  expect((await bytesOf("/", "gzip")).headers).not.toHaveProperty("content-encoding");
  const agent_id = await makeAgent(url, "def main(i): return 'x' * 9000");
  const stream = await execute(url, { agent_id, version: "current" }, { "accept-encoding": "gzip, br" });
  expect(stream.headers.get("content-encoding")).toBeNull();
  expect((await readEvents(stream)).at(-1)?.event).toBe("run.success");
});

test("each answer says how many requests are left within the minute", async () => {
  const ask = () => fetch(`${limited}/v1/agents`, { headers: { "x-api-key": key } });
  const answers = [await ask(), await ask(), await ask(), await ask()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get("ratelimit")?.replace(/t=\d+$/, "t"))).toEqual([
    '"minute";r=2;t',
    '"minute";r=1;t',
    '"minute";r=0;t',
    '"minute";r=0;t',
  ]);
  for (const { headers } of answers) expect(headers.get("ratelimit-policy")).toBe('"minute";q=3;w=60');
  expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await fetch(`${url}/v1/agents`)).headers.get("ratelimit")).toBeNull();
});

test("with ?format=openai an error has what OpenAI's clients read, and is otherwise the same", async () => {
  const ask = async (to: string, body: object) => {
    const response = await fetch(`${to}/v1/execute?format=openai`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()] as const;
  };
  expect(await ask(url, { agent_id: "nobody", version: "1" })).toMatchObject([
    404,
    { code: "agent_not_found", error: { code: "agent_not_found", type: "invalid_request_error", param: null } },
  ]);
  expect(await ask(url, { version: "1" })).toMatchObject([
    422,
    { detail: [{ type: "missing" }], error: { code: "validation_error", message: "body.agent_id: Field required" } },
  ]);
  expect(await ask(limited, {})).toMatchObject([401, { error: { type: "authentication_error" } }]);
  const plain = await call(url, "POST", "/v1/execute", { agent_id: "nobody", version: "1" });
  expect(plain.body).not.toHaveProperty("error");
});

test("the try of a blocked callback says which setting allows its address", async () => {
  const agent_id = await makeAgent(url, "def main(i): return 1");
  const request = { agent_id, version: "current", completion_callback_url: "http://127.0.0.1:9/hook" };
  const { id } = (await (await execute(url, request, { prefer: "wait=20" })).json()) as { id: string };
  const tries = async () =>
    (await call(url, "GET", `/v1/runs/${id}/callbacks`)).body["data"] as { error: string; hint: string }[];
  const [first] = await waitFor(async () => ((await tries()).length > 0 ? tries() : null), 15_000);
  expect(first).toMatchObject({ error: "blocked", hint: expect.stringContaining("CALLBACK_ALLOW_CIDRS") });
});
