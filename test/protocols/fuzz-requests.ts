import fc from "fast-check";
import { z } from "zod";
import {
  legacySendParams,
  listParams as listTaskParams,
  sendParams,
  taskParams,
} from "../../api/protocols/a2a/params.ts";
import type { Operation } from "../../api/http/define-operation.ts";
import { spoilt, valid } from "../contract/arbitrary-json.ts";
import type { Json } from "../contract/openapi-document.ts";

/** One request. A `rpc_id` is the id of the JSON-RPC request that the body is, where it is one. */
export type Try = { path: string; headers: Record<string, string>; body: string | null };

/** What requests of one operation, or of one of its methods, are drawn from. */
export type Target = { name: string; operation: Operation<never>; from: fc.Arbitrary<Try> };

/** A tool of MCP, as `tools/list` names it. */
export type NamedTool = { name: string; inputSchema: Json };

/** Ids that answers named, by their prefix. */
export type KnownIds = Map<string, string[]>;

/** What other protocols call our things. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^(agent|agent_id|agentId|assistant_id|assistantId|graph_id|model)$/, "agent"],
  [/^(chat|thread_id|threadId|contextId|conversation)$/, "thread"],
  [/^(run_id|runId|taskId|response_id|previous_response_id|checkpoint_id|requestId|cursor|pageToken|after)$/, "run"],
  [/^(cron_id|schedule_id)$/, "job"],
  [/^(interruptId|interrupt_id|toolCallId|call_id)$/, "int"],
  [/_id$/, ""],
];

function kindOf(field: string): string | null {
  const found = words.find(([pattern]) => pattern.test(field));
  return found ? found[1] || field.replace(/_id$/, "") : null;
}

/** So many ids of a kind are kept from the beginning. */
export const oldest = 6;

/** The session that MCP's requests are in. */
const session = `mcp_${"0".repeat(32)}`;

/** Values that JSON.stringify can't write stand in a body as one of these texts. */
const marks: Readonly<Record<string, string>> = {
  "@array": `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  "@object": `${'{"a":'.repeat(90)}1${"}".repeat(90)}`,
  "@huge": "1e999",
  "@digits": "9".repeat(400),
  "@prototype": '{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":1}',
  "@twice": '{"a":1,"a":{"b":2}}',
};

/** What clients usually say, by the field. */
const usual: Readonly<Json> = {
  input: { prompt: "hi" },
  messages: [{ id: "m-1", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] }],
  parts: [{ kind: "text", text: "hi" }],
  stream_mode: "values",
  schedule: "0 0 1 1 *",
  namespace: ["a"],
  namespace_prefix: ["a"],
  value: { a: 1 },
  version: 1,
};

const odd = fc.constantFrom<unknown>(
  ...Object.keys(marks),
  "\ud800",
  "a\udc00b",
  "\u0000",
  "x".repeat(70_000),
  "../..",
  "1-1",
  -1,
  0.5,
  2 ** 53,
  -0,
  true,
  null,
  [],
  {},
  [[]],
  [null],
  { "\u0000": 1 },
  { "\ud800": 1 },
  { "": "" },
);

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function stringify(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"(@[a-z]+)"/g, (text, mark: string) => marks[mark] ?? text);
}

/** Returns the value with `bad` somewhere within it. `ways` chooses the place. */
function putWithin(value: unknown, bad: unknown, [way = 0, ...ways]: readonly number[]): unknown {
  if (typeof value !== "object" || value === null) return bad;
  const keys = Object.keys(value);
  if (keys.length === 0 || way % 7 === 0) return bad;
  const key = keys[way % keys.length] ?? "";
  const within = putWithin((value as Json)[key], bad, ways);
  return Array.isArray(value) ? value.with(Number(key), within) : { ...value, [key]: within };
}

const ways = fc.array(fc.nat(), { minLength: 6, maxLength: 6 });

const spoiltWithin = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(right, odd, ways).map(([value, bad, by]) => putWithin(value, bad, by));

const bodyOf = (right: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: right.map(stringify) },
    { weight: 3, arbitrary: spoilt(right).map(stringify) },
    { weight: 5, arbitrary: spoiltWithin(right).map(stringify) },
    { weight: 1, arbitrary: right.map((value) => stringify(value).slice(0, -1)) },
    { weight: 1, arbitrary: fc.oneof(fc.string(), odd.map(stringify)) },
  );

/** Returns a zod schema as JSON Schema without references. */
const jsonOf = (schema: z.ZodType): Json =>
  withoutRefs(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));

/** Puts named schemas where they are referred to. Below the depth that is drawn anything stands for them. */
function withoutRefs(root: Json): Json {
  const named = (root["$defs"] ?? {}) as Record<string, Json>;
  function inline(value: unknown, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => inline(item, depth));
    if (typeof value !== "object" || value === null) return value;
    const ref = (value as Json)["$ref"];
    if (typeof ref === "string") return depth > 6 ? {} : inline(named[ref.replace("#/$defs/", "")] ?? {}, depth + 1);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inline(item, depth)]));
  }
  const { $defs: _, ...own } = root;
  return inline(own, 0) as Json;
}

/** Returns the names of all fields that objects of a schema must have. */
function requiredIn(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === "required" && Array.isArray(value)) for (const name of value) names.add(String(name));
    return value;
  });
  return names;
}

const fieldsOf = (schema: z.ZodObject | undefined): [string, Json][] =>
  schema ? Object.entries((jsonOf(schema)["properties"] ?? {}) as Record<string, Json>) : [];

/** Draws requests of the operations, with the ids that there are. */
export class Requests {
  readonly #known: KnownIds;

  constructor(known: KnownIds) {
    this.#known = known;
  }

  /** Returns what is drawn from: an operation whose body is JSON-RPC has one target a method. */
  targetsOf(operation: Operation<never>, tools: readonly NamedTool[]): Target[] {
    const { path, method } = operation;
    const target = (
      name: string,
      body: fc.Arbitrary<string | null>,
      headers: Record<string, fc.Arbitrary<string>>,
    ) => ({
      name: `${method} ${path} ${name}`,
      operation,
      from: this.#requests(operation, body, headers),
    });
    if (path.startsWith("/a2a/") && method === "post")
      return ["1.0", "0.3"].flatMap((version) =>
        Object.entries(a2aMethods[version] ?? {}).map(([name, schema]) => {
          const params = schema === null ? fc.constant({}) : this.#filled(jsonOf(schema));
          return target(name, this.#rpc(name, params), { "a2a-version": mostly(version) });
        }),
      );
    if (path.startsWith("/mcp")) {
      const headers = mcpHeaders(this.#known);
      if (method !== "post") return [target("", fc.constant(null), headers)];
      const calls = fc.oneof(
        ...tools.map(({ name, inputSchema }) =>
          fc.record({ name: fc.constant(name), arguments: this.#filled(withoutRefs(inputSchema)) }),
        ),
      );
      const messages = Object.entries({ ...mcpMethods, "tools/call": calls });
      return [
        ...messages.map(([name, params]) => target(name, this.#rpc(name, params), headers)),
        ...["result", "error"].map((name) => target(name, this.#answer(name), headers)),
        ...Array.from({ length: 4 }, () => target("tools/call", this.#rpc("tools/call", calls), headers)),
      ];
    }
    const { body } = operation.request;
    const bodies = body ? bodyOf(this.#filled(jsonOf(body))) : fc.constant(null);
    return [target("", bodies, {})];
  }

  #requests(
    { method, path, request }: Operation<never>,
    body: fc.Arbitrary<string | null>,
    always: Record<string, fc.Arbitrary<string>>,
  ): fc.Arbitrary<Try> {
    const params = fieldsOf(request.params).map(([name, schema]) => this.#pathValue(name, schema, method));
    const filled = fc.tuple(...params).map((values) => {
      const left = [...values];
      // A segment of dots would make another path of it.
      return path.replaceAll(/\{[^}]+\}/g, () => left.shift()?.replace(/^\.{1,2}$/, "x") || "x");
    });
    const given = ([name, schema]: [string, Json]) => {
      const own = this.#filled({ type: "object", properties: { [name]: schema }, required: [name] });
      const text = own.map((value) => textOf((value as Json)[name]));
      const value = fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: odd.map(textOf) });
      return fc.option(value.map((sent) => [name, sent] as const));
    };
    const query = fc.tuple(...fieldsOf(request.query).map(given));
    const sent = fieldsOf(request.headers).filter(([name]) => !(name in always) && !/^(host|content-type)$/.test(name));
    const headers = fc.tuple(fc.tuple(...sent.map(given)), fc.record(always));
    return fc.tuple(filled, query, headers, body).map(([place, asked, [own, fixed], text]) => {
      const pairs = asked
        .filter((pair) => pair !== null)
        .map(([name, value]): [string, string] => [name, value.slice(0, 2_000)]);
      return {
        path: `${place}?${new URLSearchParams(pairs).toString()}`,
        headers: headersOf([...own, ...Object.entries(fixed)]),
        body: text,
      };
    });
  }

  /** Mostly an id of the right kind that an answer named, sometimes one of another kind, or no id at all. */
  #pathValue(name: string, schema: Json, method: string): fc.Arbitrary<string> {
    // The first agents stay, so that there is something to run.
    const isStaying = method === "delete" && kindOf(name) === "agent";
    const right = fc.nat().map((n) => encodeURIComponent((isStaying ? null : this.#idOf(name, n)) ?? "missing"));
    const other = fc.nat().map((n) => encodeURIComponent(this.#anyId(n)));
    const own = valid(schema).map((value) => encodeURIComponent(textOf(value).slice(0, 700)));
    const strange = fc.constantFrom("%ED%A0%80", "%00", "%ff", "%2F..%2F", "@", "a@b@", "@1.0.0", "~2", "-", "%20");
    const tagged = fc
      .tuple(right, fc.constantFrom("@current", "@1.0.0", "@prod", "~2", "~999999", "%00"))
      .map((two) => two.join(""));
    return fc.oneof(
      { weight: 8, arbitrary: right },
      { weight: 1, arbitrary: other },
      { weight: 2, arbitrary: fc.oneof(own, strange, tagged) },
    );
  }

  #rpc(method: string, params: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
    const named = fc.oneof(
      { weight: 12, arbitrary: fc.constant(method) },
      { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "", "rpc.discover", "\ud800") },
    );
    const right = fc.record({ jsonrpc: fc.constant("2.0"), id: rpcId, method: named, params });
    const notification = fc.record({ jsonrpc: fc.constant("2.0"), method: named, params });
    const bodies = { weight: 8, arbitrary: bodyOf(method.startsWith("notifications/") ? notification : right) };
    return fc.oneof(
      bodies,
      { weight: 1, arbitrary: bodyOf(notification) },
      { weight: 1, arbitrary: bodyOf(fc.array(right, { maxLength: 2 })) },
    );
  }

  /** An answer of the client to a question of ours. */
  #answer(name: string): fc.Arbitrary<string> {
    const result = fc.record({
      action: fc.constantFrom("accept", "decline", "cancel", "x"),
      content: fc.jsonValue({ maxDepth: 2 }),
    });
    const error = fc.record({ code: fc.integer(), message: fc.string() });
    const id = fc.oneof(
      fc.nat().map((n) => this.#idOf("interrupt_id", n) ?? "int"),
      rpcId,
    );
    return bodyOf(fc.record({ jsonrpc: fc.constant("2.0"), id, [name]: name === "result" ? result : error }));
  }

  /**
   * Puts ids that there are where a field asks for one. Most requests have few fields that they need not have, and what clients
   * usually say in others, so that they are accepted.
   */
  #filled(schema: Json): fc.Arbitrary<unknown> {
    const needed = requiredIn(schema);
    return fc.tuple(valid(schema), fc.nat()).map(([value, n]) => this.#fill(value, n, needed));
  }

  #fill(value: unknown, n: number, needed: ReadonlySet<string>): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#fill(item, n, needed));
    if (typeof value !== "object" || value === null) return value;
    const isUsual = n % 5 > 1;
    const entries = Object.entries(value)
      .filter(([name], i) => !isUsual || needed.has(name) || name in usual || (n + i) % 12 === 0)
      .map(([name, item]) => {
        if (isUsual && Object.hasOwn(usual, name)) return [name, usual[name]];
        // Some requests keep the odd id that was drawn.
        const id = typeof item === "string" && n % 5 !== 0 ? this.#idOf(name, n) : null;
        return [name, id ?? this.#fill(item, n, needed)];
      });
    return Object.fromEntries(entries);
  }

  /** Returns one of the oldest ids, which belong together, or one of the newest. */
  #idOf(name: string, n: number): string | null {
    if (name === "id") return this.#anyId(n);
    const kind = kindOf(name);
    const ids = (kind !== null && this.#known.get(kind)) || [];
    return (n % 3 > 0 ? ids[n % Math.min(ids.length, oldest)] : ids.at(-1 - (n % 40))) ?? ids[0] ?? null;
  }

  #anyId(n: number): string {
    const ids = ["run", "thread"].flatMap((kind) => this.#known.get(kind) ?? []);
    return ids[n % Math.max(1, ids.length)] ?? "missing";
  }
}

const rpcId = fc.oneof(fc.integer(), fc.string({ maxLength: 20 }), fc.constantFrom(0, "", "\ud800", "\u0000"));

const mostly = (value: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: odd.map(textOf) });

const a2aMethods: Readonly<Record<string, Record<string, z.ZodType | null>>> = {
  "1.0": {
    SendMessage: sendParams,
    SendStreamingMessage: sendParams,
    GetTask: taskParams,
    CancelTask: taskParams,
    SubscribeToTask: taskParams,
    ListTasks: listTaskParams,
    CreateTaskPushNotificationConfig: null,
    GetExtendedAgentCard: null,
  },
  "0.3": {
    "message/send": legacySendParams,
    "message/stream": legacySendParams,
    "tasks/get": taskParams,
    "tasks/cancel": taskParams,
    "tasks/resubscribe": taskParams,
    "tasks/pushNotificationConfig/set": null,
    "agent/getAuthenticatedExtendedCard": null,
  },
};

const mcpMethods: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  initialize: fc.record({
    protocolVersion: fc.constantFrom("2025-11-25", "2025-03-26", "x"),
    capabilities: fc.constantFrom({}, { elicitation: {} }, { elicitation: { form: {} } }, null),
  }),
  ping: fc.constant({}),
  "tools/list": fc.record({ cursor: fc.string({ unit: "binary" }) }, { requiredKeys: [] }),
  "notifications/initialized": fc.constant({}),
  "notifications/cancelled": fc.record({ requestId: rpcId }),
};

function mcpHeaders(known: KnownIds): Record<string, fc.Arbitrary<string>> {
  const run = fc.nat().map((n) => known.get("run")?.[n % 50] ?? "run_x");
  const call = fc.tuple(
    fc.oneof({ weight: 3, arbitrary: run }, { weight: 2, arbitrary: odd }),
    rpcId,
    fc.option(rpcId),
  );
  const place = fc.constantFrom("1-1", "0-0", "1-2", "999999999999-1", "x", "9".repeat(400));
  const cursor = fc
    .tuple(call, place)
    .map(([three, after]) => `${Buffer.from(stringify(three).slice(0, 4_000)).toString("base64url")}.${after}`);
  return {
    accept: mostly("application/json, text/event-stream"),
    "mcp-session-id": fc.oneof(mostly(`${session}-asks`), mostly(`${session}-mute`)),
    "mcp-protocol-version": mostly("2025-11-25"),
    "last-event-id": cursor,
  };
}

/** Headers that a client can send: printable, and short enough for a server to read. */
const headersOf = (pairs: readonly (readonly [string, string] | null)[]): Record<string, string> =>
  Object.fromEntries(
    pairs
      .filter((pair) => pair !== null)
      .map(([name, value]) => [name, value.slice(0, 6_000).replaceAll(/[^ -~]/g, "?")]),
  );
