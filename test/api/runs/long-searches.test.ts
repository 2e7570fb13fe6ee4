import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
await stack.sql.query(
  `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
     input_payload, history, files, request_hash, expires_at, created_at, completed_at)
   SELECT 'run' || n, 'u', 'a', CASE WHEN n IN (2, 24000) THEN '2.0.0' ELSE '1.0.0' END, 'success', 3, 'python', 'standard',
     'serverless', 1000, json_build_object('n', CASE WHEN n = 2 THEN 'needle' END), '[]', '[]', '', now(),
     now() + n * interval '1 ms', now() FROM generate_series(1, 25000) n`,
);

async function pages(query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let after = "";
  for (let count = 1; ; count += 1) {
    const { body } = await call(url, "GET", `/v1/runs?${query}${after}`);
    ids.push(...(body["data"] as { id: string }[]).map(({ id }) => id));
    if (!body["has_more"]) return { ids, pages: count };
    after = `&after=${String(body["last_id"])}`;
  }
}

test("a search through more runs than a page looks at finds all, over pages that may be empty", async () => {
  expect(await pages("search=needle")).toEqual({ ids: ["run2"], pages: 3 });
  expect(await pages("version=2.0.0")).toEqual({ ids: ["run24000", "run2"], pages: 3 });
  expect(await pages("version=2.0.0&order=asc&limit=1")).toEqual({ ids: ["run2", "run24000"], pages: 3 });
  expect(await pages("search=nowhere&user_id=u")).toEqual({ ids: [], pages: 3 });
  expect(await pages("version=2.0.0&status=error")).toEqual({ ids: [], pages: 1 });
});
