import { expect, test } from "vitest";
import { z } from "zod";
import { unknownFields } from "../../../api/http/unknown-input.ts";
import { jobBody } from "../../../shared/schemas/job.ts";
import { operations } from "../../../api/operations.ts";
import { call, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const named = (where: string, ...path: (string | number)[]) => ({
  type: "extra_forbidden",
  loc: [where, ...path],
  msg: "Extra inputs are not permitted",
});

/** Each operation's path with something in place of its parameters. */
const addresses = operations
  .filter(({ ignores }) => ignores !== "unknown_input")
  .map(({ method, path, ignores, ...rest }) => ({
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, "x"),
    ignores,
    takesBody: method !== "get" && method !== "delete" && !rest.rawBody,
  }));

test("every operation refuses a query parameter that it doesn't know, and names it", async () => {
  expect(addresses.length).toBeGreaterThan(120);
  for (const { method, path } of addresses) {
    const { status, body } = await call(url, method, `${path}?stauts=error`);
    expect({ method, path, status, detail: body["detail"] }).toMatchObject({
      status: 422,
      detail: expect.arrayContaining([named("query", "stauts")]) as unknown,
    });
  }
});

const ofTheSpecification = ["/v1/execute", "/v1/agents", "/v1/runs/x/complete", "/v1/daemon/x/control", "/v1/upgrade"];

test("every operation but the specification's refuses a field of the body that it doesn't know", async () => {
  const takers = addresses.filter(({ takesBody }) => takesBody);
  const open = takers.filter(({ ignores, method }) => ignores === "unknown_fields" && method === "POST");
  // /v1/validate says what /v1/execute would say.
  expect(open.map(({ path }) => path).toSorted()).toEqual([...ofTheSpecification, "/v1/validate"].toSorted());
  for (const { method, path, ignores } of takers) {
    const { body } = await call(url, method, path, { no_such_field: 1 });
    const faults = JSON.stringify(body["detail"] ?? "");
    expect({ method, path, names: faults.includes('"no_such_field"') }).toEqual({
      method,
      path,
      names: ignores === "nothing",
    });
  }
});

test("the specification's operations ignore unknown fields; free-form objects take any", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input):
          return input
    `,
  );
  const request = { agent_id, version: "current", input_payload: { any: { thing: 1 } }, no_such_field: 1 };
  const run = await call(url, "POST", "/v1/execute", request, { prefer: "wait=20" });
  expect(run).toMatchObject({ status: 200, body: { status: "success", result_content: { any: { thing: 1 } } } });
  expect((await call(url, "POST", "/v1/validate", request)).status).toBe(200);
  const batch = await call(url, "POST", "/v1/execute/batch", { requests: [request] });
  expect(batch).toMatchObject({ status: 422, body: { detail: [named("body", "requests", 0, "no_such_field")] } });
  const thread = await call(url, "POST", "/v1/threads", { metadata: { any: { thing: 1 } } });
  expect(thread.status).toBe(201);
});

test("unknown fields are found in lists, unions and optional parts, and not in free-form ones", () => {
  const schema = z.object({
    list: z.array(z.object({ a: z.number() })).optional(),
    either: z.union([z.literal("none"), z.object({ allow: z.array(z.string()) })]).nullish(),
    free: z.record(z.string(), z.unknown()).default({}),
    open: z.looseObject({ known: z.object({}) }).optional(),
  });
  const pathsIn = (value: unknown) => unknownFields(schema, value, "body").map(({ loc }) => loc.join("."));
  expect(pathsIn({ list: [{ a: 1 }, { a: 1, b: 2 }] })).toEqual(["body.list.1.b"]);
  expect(pathsIn({ either: { allow: [], deny: [] } })).toEqual(["body.either.deny"]);
  expect(pathsIn({ either: "none", free: { x: { y: 1 } } })).toEqual([]);
  expect(pathsIn({ open: { other: 1, known: { x: 1 } } })).toEqual(["body.open.known.x"]);
  expect(pathsIn(JSON.parse('{"__proto__": 1, "toString": 1}'))).toEqual(["body.__proto__", "body.toString"]);
  expect(unknownFields(jobBody, { agent_id: "a", metadata: { x: 1 }, crn: "x" }, "body").length).toBe(1);
});
