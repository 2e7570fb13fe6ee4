import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Operation, defineOperation } from "../../../api/http/define-operation.ts";
import { field, refuse } from "../../../shared/schemas/field.ts";
import {
  choice,
  httpUrl,
  jsonArray,
  jsonObject,
  laxBool,
  laxFloat,
  laxInt,
  stringMap,
  text,
  timestamp,
} from "../../../shared/schemas/primitives.ts";
import { type RunningApp, listen } from "./listen.ts";

type Item = { type: string; loc: (string | number)[]; msg: string; ctx?: unknown; input?: unknown };
type Case = {
  request: string;
  body: unknown;
  content_type: string | null;
  status: number;
  response: { detail: Item[] | string } | string;
  raw: boolean;
};

/** What FastAPI 0.142.2 with pydantic 2.13.5 answered. */
const cases: Case[] = JSON.parse(
  readFileSync(new URL("../../contract/fastapi-422-cases.json", import.meta.url), "utf8"),
);

const takes = (path: string, request: Operation<unknown>["request"], method: "get" | "post" = "post") => {
  const sample = {
    path,
    name: "sample",
    area: "Samples",
    scope: "public",
    // As FastAPI does by default.
    ignores: "unknown_input",
    summary: "Sample",
    request,
    responses: { 200: { description: "Taken" } },
    handle: async () => ({ status: 200 }) as const,
  } as const;
  return method === "get"
    ? defineOperation({ ...sample, method })
    : defineOperation({ ...sample, method, audit: { none: "A sample" } });
};

const literal = field((value) => {
  const expected = "'a', 'b' or 'c'";
  return value === "a" ? value : refuse("literal_error", `Input should be ${expected}`, { expected });
}, {});

const operations = [
  takes("/v1/execute", {
    body: z.object({
      agent_id: text(),
      version: text(),
      input_payload: jsonObject().optional(),
      env_vars: stringMap().optional(),
      files: stringMap().optional(),
      history: jsonArray().optional(),
      state_snapshot: text().optional(),
      thread_id: text().nullish(),
    }),
  }),
  takes("/v1/runs/{run_id}/complete", {
    params: z.object({ run_id: text() }),
    body: z.object({ status: text().optional(), duration_ms: laxInt().nullish() }),
  }),
  takes("/lim", {
    body: z.object({
      s: text({ min: 2, max: 5, pattern: /^[a-z]+$/ }),
      n: laxInt({ ge: 1, le: 10 }),
      f: laxFloat().optional(),
      b: laxBool().optional(),
      e: literal.optional(),
      u: z.union([laxInt(), text()]).optional(),
      l: z.array(laxInt()).max(2).optional(),
      m: z.record(z.string(), laxInt()).optional(),
    }),
  }),
  takes("/strict", { body: z.strictObject({ a: laxInt() }) }),
  takes("/en", { body: z.object({ c: choice(["red", "blue"]) }) }),
  takes("/fmt", { body: z.object({ url: httpUrl(), at: timestamp() }) }),
  takes("/q", { query: z.object({ limit: laxInt({ ge: 1, le: 100 }).default(20) }) }, "get"),
  takes("/path/{n}", { params: z.object({ n: laxInt() }) }, "get"),
  takes("/h", { headers: z.object({ "x-tok": text() }) }, "get"),
  takes("/two", { body: z.object({ a: jsonObject(), b: jsonObject() }) }),
];

let app: RunningApp;
beforeAll(async () => {
  app = await listen(operations);
});
afterAll(() => app.close());

async function ask({ request, body, content_type, raw }: Case) {
  const [method = "GET", path = "/"] = request.split(" ");
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: content_type === null ? {} : { "content-type": content_type },
    // Bytes, so that fetch adds no content type of its own.
    ...(method === "GET" ? {} : { body: Buffer.from(raw ? String(body) : JSON.stringify(body)) }),
  });
  const answer = await response.text();
  return { status: response.status, detail: answer === "" ? undefined : JSON.parse(answer).detail };
}

/** Cases in which our answer differs on purpose, and ours. */
const differing = new Map([
  // FastAPI fails on NaN; to us it isn't JSON.
  ['{"agent_id": NaN, "version":"1"}', { status: 422, types: ["json_invalid"] }],
  // Python's integers have no end; a double's safe ones do.
  ['{"status":"success","duration_ms":1e+30}', { status: 422, types: ["int_parsing_size"] }],
]);
const textOf = ({ raw, body }: Case) => (raw ? String(body) : JSON.stringify(body));

const same = cases.filter((each) => !differing.has(textOf(each)) && each.request !== "GET /boom");
const withoutInput = ({ input: _input, ...item }: Item) => item;
/** No operation of ours takes a UUID, and zod's unions don't name the branch that a fault is of. */
const comparable = (items: Item[]) =>
  items.flatMap((item) => {
    if (item.type === "uuid_parsing") return [];
    return item.loc[1] === "u" ? { ...item, loc: item.loc.slice(0, 2) } : item;
  });

describe("what FastAPI answers, we answer", () => {
  it("leaves out only the cases that are named here", () => {
    expect(cases.length - same.length).toBe(3);
  });

  it.each(same.map((each) => [`${each.request} ${textOf(each).slice(0, 60)}`, each] as const))(
    "%s",
    async (_, each) => {
      const { status, detail } = await ask(each);
      expect(status).toBe(each.status);
      if (each.status === 200 || typeof each.response === "string") return;
      const expected = each.response.detail;
      if (typeof expected === "string") expect(detail).toBe(expected);
      else expect(comparable(detail)).toEqual(comparable(expected.map(withoutInput)));
    },
  );

  it.each([...differing])("differs on purpose for %s", async (body, ours) => {
    const each = cases.find((candidate) => textOf(candidate) === body);
    const { status, detail } = await ask(each ?? expect.fail("no such case"));
    expect({ status, types: detail.map(({ type }: Item) => type) }).toEqual(ours);
  });
});
