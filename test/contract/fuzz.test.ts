import fc from "fast-check";
import { expect, test } from "vitest";
import { readEnv } from "../../shared/platform/config/env.ts";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { spoilt, valid } from "./arbitrary-json.ts";
import { type DocumentedOperation, faultOfAnswer, operations, type Parameter } from "./openapi-document.ts";

const seed = Number(readEnv()["FUZZ_SEED"] ?? 20_261_121);
const requests = Number(readEnv()["FUZZ_REQUESTS"] ?? 3_000);
const clients = 8;
/** An answer that waits for something may take longer; it is then let go. */
const patienceMs = 2_000;
/** A part that this stack doesn't have says so with a 503; nothing else may. */
const absent =
  /^(no_worker|lifecycle_unavailable|no_payment_provider|no_webhook_secret|queue_full|leaving|worker_gone)$/;

/** Ids that answers named, by their prefix. */
const known = new Map<string, string[]>();

const stack = await useTestStack();
const { url } = await stack.startMembers({ api: { SHUTDOWN_GRACE_MS: "0" } });
for (let i = 0; i < 5; i++)
  await makeAgent(
    url,
    py`
      def main(input):
          return {}
    `,
    { timeout_ms: 1_000 },
  );

type Try = { path: string; headers: Record<string, string>; body: string | null };

const oneOf = (id: number, ids: string[] | undefined): string => ids?.[id % ids.length] ?? "missing";

/** Mostly an id of the right kind that an answer named, sometimes one of another kind, or no id at all. */
function pathValue({ name, schema }: Parameter): fc.Arbitrary<string> {
  const prefix = name.replace(/_id$/, "");
  const right = fc.nat().map((n) => oneOf(n, known.get(prefix)));
  const other = fc.nat().map((n) => oneOf(n, [...known.values()].flat()));
  const odd = fc.oneof(fc.string({ maxLength: 40, unit: "binary" }), valid(schema).map(textOf));
  return fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: other }, { weight: 2, arbitrary: odd });
}

function tryOf(operation: DocumentedOperation): fc.Arbitrary<Try> {
  const of = (where: string) => operation.parameters.filter((parameter) => parameter.in === where);
  const path = fc.tuple(...of("path").map(pathValue)).map((values) => {
    const left = [...values];
    return operation.path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(left.shift() || "x"));
  });
  const given = (parameter: Parameter) =>
    fc.oneof(valid(parameter.schema).map(textOf), fc.string({ maxLength: 30, unit: "binary" }));
  const pick = (where: string): fc.Arbitrary<Record<string, string>> =>
    fc
      .tuple(...of(where).map((parameter) => fc.option(given(parameter).map((value) => [parameter.name, value]))))
      .map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)));
  const right = operation.body === null ? fc.constant(null) : valid(operation.body).map(fillIds);
  const text = operation.body === null ? fc.constant(null) : bodyText(right);
  return fc.tuple(path, pick("query"), pick("header"), text).map(([filled, query, headers, body]) => ({
    path: `${filled}?${new URLSearchParams(query).toString()}`,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^ -~]/g, "?")]),
    ),
    body,
  }));
}

const bodyText = (right: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: right.map((body) => JSON.stringify(body)) },
    { weight: 5, arbitrary: spoilt(right).map((body) => JSON.stringify(body)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.string(),
        right.map((body) => JSON.stringify(body).slice(0, -1)),
      ),
    },
  );

/** A body that names an agent, a run … names one that there is. */
function fillIds(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const ids = known.get(name.replace(/_id$/, ""));
    return [name, name.endsWith("_id") && typeof value === "string" && ids ? oneOf(value.length, ids) : value];
  });
  return Object.fromEntries(entries);
}

/** A parameter as text. An object of the generator may have no `toString`. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function learn(text: string): void {
  for (const [id, prefix = ""] of text.matchAll(/\b([a-z]+)_[0-9a-f]{32}\b/g)) {
    const ids = known.get(prefix) ?? [];
    if (ids.length < 200 && !ids.includes(id)) ids.push(id);
    known.set(prefix, ids);
  }
}

/** Sends one request. Gives its status, 0 for an answer that was let go, and what is wrong with the answer. */
async function send(
  operation: DocumentedOperation,
  { path, headers, body }: Try,
): Promise<{ status: number; fault: string | null }> {
  const signal = AbortSignal.timeout(patienceMs);
  const init = { method: operation.method, headers: { "content-type": "application/json", ...headers }, signal };
  try {
    const response = await fetch(url + path, body === null ? init : { ...init, body });
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      await response.body?.cancel();
      return { status: response.status, fault: null };
    }
    const text = await response.text();
    learn(text);
    const { status } = response;
    if (status >= 500 && !(status === 503 && absent.test(JSON.parse(text).code))) return { status, fault: text };
    return { status, fault: faultOfAnswer(operation, { status, type, text }) };
  } catch (error) {
    if (signal.aborted) return { status: 0, fault: null };
    return { status: -1, fault: `${String(error)} ${String((error as Error).cause)}` };
  }
}

test(`${requests} generated requests over all operations: no 5xx, and every answer is as documented`, async () => {
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  const each = Math.ceil(requests / operations.length / clients);
  // Once for all requests: making one costs more than drawing from it.
  const tries = operations.map((operation) => ({ operation, from: tryOf(operation) }));
  async function client(which: number): Promise<void> {
    for (let round = 0; round < each; round++) {
      for (const [i, { operation, from }] of tries.entries()) {
        const [one] = fc.sample(from, { seed: seed + which * 1_000_003 + round * 1_009 + i, numRuns: 1 });
        if (!one) continue;
        const { status, fault } = await send(operation, one);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (fault !== null)
          faults.push(
            `${operation.method} ${one.path} ${one.body?.slice(0, 300)} -> ${status}: ${fault.slice(0, 400)}`,
          );
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, which) => client(which)));
  console.log(
    `seed ${seed}, ${operations.length} operations, by status:`,
    Object.fromEntries([...statuses].toSorted()),
  );
  expect(faults.length === 0 ? [] : [`${faults.length} faults`, ...faults.slice(0, 40)]).toEqual([]);
  expect([...statuses.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(requests);
  expect(statuses.get(200)).toBeGreaterThan(requests / 10);
  expect((await call(url, "GET", "/health")).status).toBe(200);
}, 300_000);
