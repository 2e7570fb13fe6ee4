import { expect, it } from "vitest";
import { z } from "zod";
import { defineOperation, type Operation } from "../../../api/http/define-operation.ts";
import { operations } from "../../../api/operations.ts";
import { clientId, laxInt } from "../../../shared/schemas/primitives.ts";

type Context = { db: { read: (id: string) => Promise<number> }; unused: string };

const readRun = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}",
  name: "get_run",
  area: "Runs",
  scope: "public",
  summary: "Get a run",
  request: { params: z.object({ run_id: clientId() }), query: z.object({ limit: laxInt().default(20) }) },
  responses: { 200: { description: "The run", schema: z.object({ n: z.number() }) }, 204: { description: "Nothing" } },
  handle: async (ctx: Pick<Context, "db">, { params, query }) =>
    query.limit > 5 ? { status: 200, body: { n: await ctx.db.read(params.run_id) } } : { status: 204 },
});

it("records each act that changes something in the audit log, or says in a sentence why not", () => {
  const writes = operations.filter(({ method }) => method !== "get");
  expect(writes.length).toBeGreaterThan(60);
  for (const { name, audit } of writes) {
    if (audit && "none" in audit) expect([name, audit.none]).toEqual([name, expect.stringMatching(/^[A-Z].{15,}\.$/)]);
    else expect([name, audit?.target]).toEqual([name, expect.stringMatching(/^[a-z_]+$/)]);
  }
});

it("gives each operation the id that FastAPI would give it", () => {
  const samples = [readRun] satisfies readonly Operation<Context>[];
  expect(samples.map(({ id }) => id)).toEqual(["get_run_v1_runs__run_id__get"]);
});

it("refuses, at compile time, an answer that isn't documented and a name that isn't taken", () => {
  const base = { method: "get", path: "/x", name: "x", area: "X", scope: "public", summary: "X" } as const;
  const responses = { 200: { description: "n", schema: z.object({ n: z.number() }) } };
  // @ts-expect-error 201 isn't documented
  defineOperation({ ...base, responses, handle: async () => ({ status: 201, body: { n: 1 } }) });
  // @ts-expect-error the body must be what the schema says
  defineOperation({ ...base, responses, handle: async () => ({ status: 200, body: { n: "1" } }) });
  // @ts-expect-error there are no params
  defineOperation({ ...base, responses, handle: async (_, { params }) => ({ status: 200, body: { n: params.n } }) });
  const nothing = { ...base, responses: { 204: { description: "n" } }, handle: async () => ({ status: 204 }) as const };
  defineOperation({ ...nothing, method: "post", audit: "thing" });
  // @ts-expect-error an operation that may write says what the audit log records of it, or why nothing
  defineOperation({ ...nothing, method: "post" });
  expect(base.method).toBe("get");
});
