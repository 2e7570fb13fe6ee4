import { expect, test, vi } from "vitest";
import { call } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";

// Many runs, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const stack = await useTestStack();
const { url } = await stack.startService({ api: { SECRETS_PER_USER: "5" } });

// A value itself would be redacted.
const source = py`
  import os
  def main(input):
      return {"is": os.environ["TOKEN"][::-1], "other": os.environ.get("OTHER", "")[::-1]}
`;
const backwards = (text: string) => [...text].toReversed().join("");
const config = { source, secrets: ["TOKEN"] };
const put = (path: string, value: string) => call(url, "PUT", path, { value });

async function makeAgent(id: string): Promise<void> {
  await call(url, "POST", "/v1/agents", { user_id: "ada", id, name: id, config });
  await call(url, "POST", `/v1/versions/${id}`, { version: "2.0.0", config: { ...config, env: { N: "2" } } });
  await call(url, "PUT", `/v1/versions/${id}/tags/preview`, { version: "2.0.0" });
}
async function tokenOf(agent_id: string, version: string): Promise<unknown> {
  const request = { agent_id, version, input_payload: {} };
  const { body } = await call(url, "POST", "/v1/execute", request, { prefer: "wait=25" });
  const { result_content: result, error } = body as { result_content: { is: string } | null; error: { code: string } };
  return result ? backwards(result.is) : error.code;
}

test("an owner's secret is every agent's, an agent's own wins, and one of a tag is that tag's versions' alone", async () => {
  await makeAgent("one");
  await makeAgent("two");
  expect(await tokenOf("one", "1.0.0")).toBe("secret_not_set");
  const preview = "/v1/secrets/TOKEN?user_id=ada&tag=preview";
  expect(await put(preview, "of-preview")).toMatchObject({ status: 200, body: { name: "TOKEN", tag: "preview" } });
  // A preview's secret is no other version's, and production's is no preview's.
  expect(await tokenOf("one", "1.0.0")).toBe("secret_not_set");
  expect(await tokenOf("one", "preview")).toBe("of-preview");
  await put("/v1/secrets/TOKEN?user_id=ada", "of-owner");
  expect(await Promise.all([tokenOf("one", "1.0.0"), tokenOf("two", "1.0.0")])).toEqual(["of-owner", "of-owner"]);
  expect(await tokenOf("two", "2.0.0")).toBe("of-preview");
  await put("/v1/agents/one/secrets/TOKEN", "of-agent");
  expect(await Promise.all([tokenOf("one", "1.0.0"), tokenOf("one", "preview")])).toEqual(["of-agent", "of-agent"]);
  await put("/v1/agents/one/secrets/TOKEN?tag=preview", "of-agents-preview");
  expect(await Promise.all([tokenOf("one", "1.0.0"), tokenOf("one", "preview")])).toEqual([
    "of-agent",
    "of-agents-preview",
  ]);
  // The tag moves, and with it the secret.
  await call(url, "PUT", "/v1/versions/one/tags/preview", { version: "1.0.0" });
  expect(await tokenOf("one", "1.0.0")).toBe("of-agents-preview");

  const { body } = await call(url, "GET", "/v1/agents/one/secrets");
  expect((body["data"] as { name: string; tag: string | null }[]).map(({ name, tag }) => [name, tag])).toEqual([
    ["TOKEN", null],
    ["TOKEN", "preview"],
  ]);
  const own = await call(url, "GET", "/v1/secrets?user_id=ada");
  expect(own.body).toMatchObject({ data: [{ name: "TOKEN" }, { name: "TOKEN" }] });
  expect(JSON.stringify([body, own.body])).not.toMatch(/of-(owner|agent|preview)/);
  const { rows } = await stack.sql.query("SELECT encode(sealed_value, 'escape') AS sealed FROM secrets");
  expect(JSON.stringify(rows)).not.toMatch(/of-(owner|agent|preview)/);

  for (const path of ["/v1/agents/one/secrets/TOKEN?tag=preview", preview, "/v1/secrets/TOKEN?user_id=ada"])
    expect((await call(url, "DELETE", path)).status).toBe(204);
  expect((await call(url, "DELETE", preview)).status).toBe(404);
  expect(await tokenOf("one", "1.0.0")).toBe("of-agent");
  expect(await tokenOf("two", "1.0.0")).toBe("secret_not_set");
});

test("secrets are checked, counted and deleted with their agent; nobody else's runs have them", async () => {
  expect((await put("/v1/secrets/PATH?user_id=bo", "x")).status).toBe(422);
  expect((await put("/v1/secrets/A-B?user_id=bo", "x")).status).toBe(422);
  await call(url, "POST", "/v1/agents", { user_id: "bo", id: "bos", name: "b", config });
  await put("/v1/secrets/TOKEN?user_id=ada", "of-ada");
  expect(await tokenOf("bos", "1.0.0")).toBe("secret_not_set");
  for (const tag of ["a", "b", "c"]) await put(`/v1/agents/bos/secrets/TOKEN?tag=${tag}`, "x");
  for (const name of ["X", "Y"]) expect((await put(`/v1/secrets/${name}?user_id=bo`, "x")).status).toBe(200);
  expect((await put("/v1/secrets/Z?user_id=bo", "x")).body).toMatchObject({ code: "too_many_secrets" });
  expect((await put("/v1/secrets/X?user_id=bo", "again")).status).toBe(200);
  await call(url, "DELETE", "/v1/agents/bos");
  expect((await stack.sql.query("SELECT name FROM secrets WHERE user_id = 'bo' ORDER BY name")).rows).toEqual([
    { name: "X" },
    { name: "Y" },
  ]);
  expect((await put("/v1/agents/nobody/secrets/X?tag=a", "x")).status).toBe(404);
});
