import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";

/** Runs are found by what they have output and logged. */

const stack = await useTestStack();
const { url } = await stack.startService();
const agent_id = await makeAgent(
  url,
  py`
    import sys
    def main(input):
        for piece in input.get("say", []):
            yield piece
        for line in input.get("log", []):
            print(line, file=sys.stderr)
        return {}
  `,
);
const run = async (input_payload: Record<string, unknown>): Promise<string> => {
  const body = { agent_id, version: "current", input_payload };
  return String((await call(url, "POST", "/v1/execute", body, { prefer: "wait=20" })).body["id"]);
};
const found = async (search: string, place: string, more = ""): Promise<string[]> => {
  const query = `search=${encodeURIComponent(search)}&search_in=${place}&agent_id=${agent_id}&order=asc${more}`;
  const { body } = await call(url, "GET", `/v1/runs?${query}`);
  return (body["data"] as { id: string }[]).map(({ id }) => id);
};

const spoken = await run({ say: ["The inv", "oice of ", 'Ada\\n"quoted" 100%_'], log: ["first line", "second line"] });
const shaped = await run({ say: [{ total: 4711 }, "Grüße\u0000"] });
const silent = await run({});

test("output is found across the pieces in which it came, in any case, as it was written", async () => {
  for (const text of ["invoice of ada", "INVOICE", 'Ada\\n"quoted"', "100%_"])
    expect(await found(text, "output")).toEqual([spoken]);
  expect(await found("grüße\u0000".slice(0, 5), "output")).toEqual([shaped]);
  expect(await found("4711", "output")).toEqual([shaped]);
  for (const text of ["content", "output.delta", "invoice%ada", "first line", spoken])
    expect(await found(text, "output")).toEqual([]);
});

test("logs are found line by line", async () => {
  expect(await found("Second LINE", "logs")).toEqual([spoken]);
  for (const text of ["linesecond", "stderr", "level", "invoice"]) expect(await found(text, "logs")).toEqual([]);
});

test("a page looks at few runs, and goes on where it stopped", async () => {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, created_at, completed_at)
     SELECT 'quiet' || n, 'tester', $1, '1.0.0', 'success', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now(), now() + n * interval '1 ms', now() FROM generate_series(1, 250) n`,
    [agent_id],
  );
  const query = `/v1/runs?search=invoice&search_in=output&agent_id=${agent_id}`;
  const { body } = await call(url, "GET", query);
  expect(body).toMatchObject({ data: [], has_more: true, last_id: "quiet51" });
  const next = await call(url, "GET", `${query}&after=${String(body["last_id"])}`);
  expect(next.body).toMatchObject({ data: [{ id: spoken }], has_more: false });
  expect(await found("nothing of it", "output", `&after=${silent}`)).toEqual([]);
});
