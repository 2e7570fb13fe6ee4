import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { runChangeFilter } from "../../../shared/schemas/run-change.ts";
import { call, execute, makeAgent, readEvents, type SentEvent } from "../../harness/client.ts";
import { makeKey } from "../../harness/make-key.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const guarded = await stack.openApi({ AUTH_MODE: "key" });
await stack.sql.query(
  `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
     input_payload, error, history, files, request_hash, expires_at, created_at, completed_at, duration_ms, origin, worker_id,
     replay_of, thread_id, job_id, tags, labels, attempt, parent_run_id, root_run_id)
   SELECT 'seed' || n, 'u' || n % 2, 'agent' || n % 3, '1.' || n % 2, (ARRAY['success', 'error', 'timeout'])[1 + n % 3]::run_status,
     3, 'python', 'standard', CASE WHEN n = 7 THEN 'interactive' ELSE 'serverless' END, 1000, json_build_object('n', n),
     CASE WHEN n % 3 > 0 THEN ('{"code":"code' || n % 3 || '","type":null,"message":"no","traceback":"T"}')::json END,
     '[]', '[]', '', now(), '2026-01-01'::timestamptz + n * interval '1 h', now(), CASE WHEN n > 2 THEN n * 10 END,
     CASE WHEN n % 4 = 0 THEN 'replay' ELSE 'api' END::run_origin, 'worker' || n % 2, CASE WHEN n % 4 = 0 THEN 'seed1' END,
     CASE WHEN n % 5 = 0 THEN 't5' END, CASE WHEN n % 6 = 0 THEN 'j6' END, '{}',
     CASE WHEN n % 2 = 0 THEN '{tag:even,metadata:customer=ada,bulk:b1}'::text[] ELSE '{}' END, 1,
     CASE WHEN n = 9 THEN 'seed8' END, CASE WHEN n > 7 THEN 'seed7' END
   FROM generate_series(1, 12) n`,
);
const seeds = Array.from({ length: 12 }, (_, at) => `seed${at + 1}`);

/** As the statement does that moves a run. */
const move = (ids: string[], from: string | null, to: string, client: pg.ClientBase | pg.Pool = stack.sql) =>
  client.query(
    `INSERT INTO run_transitions (run_id, attempt, "from", "to", actor)
     SELECT id, 1, $2::run_status, $3::run_status, 'test' FROM unnest($1::text[]) WITH ORDINALITY AS one (id, nth) ORDER BY nth`,
    [ids, from, to],
  );

/** Makes runs of a user, and returns their ids. */
async function makeRuns(user: string, count: number): Promise<string[]> {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at)
     SELECT $1 || n, $1, $1, '1', 'success', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', now()
     FROM generate_series(1, $2::int) n`,
    [user, count],
  );
  return Array.from({ length: count }, (_, at) => `${user}${at + 1}`);
}

type Reading = {
  events: SentEvent[];
  close(): void;
  until(enough: (events: SentEvent[]) => boolean): Promise<SentEvent[]>;
};

/** Opens a stream, and waits until it has begun. */
async function open(query = "", headers: Record<string, string> = {}, at = url): Promise<Reading> {
  const gone = new AbortController();
  const response = await fetch(`${at}/v1/runs/stream?${query}`, { headers, signal: gone.signal });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const events: SentEvent[] = [];
  let tell: () => void = () => undefined;
  void readEvents(response, (event) => {
    events.push(event);
    tell();
    return false;
  });
  const reading: Reading = {
    events,
    close: () => gone.abort(),
    async until(enough) {
      while (!enough(events)) await new Promise<void>((resolve) => (tell = resolve));
      return events;
    },
  };
  if (headers["last-event-id"] === undefined) await reading.until(([first]) => first?.event === "resync");
  return reading;
}

const changes = (events: SentEvent[]): SentEvent["data"][] =>
  events.filter(({ event }) => event === "run.changed").map(({ data }) => data);
const idsOf = (events: SentEvent[]): unknown[] => changes(events).map(({ id }) => id);

test("a run is told from its first status to its last one, as the list shows it", async () => {
  const agent_id = await makeAgent(url, "def main(input): return {'hello': input['name']}");
  const reading = await open(`agent_id=${agent_id}`);
  expect(reading.events[0]?.data).toEqual({ type: "resync", reason: "start" });
  await (await execute(url, { agent_id, version: "current", input_payload: { name: "Ada" } })).text();
  const events = await reading.until((read) => changes(read).some(({ status }) => status === "success"));
  reading.close();
  const told = changes(events).at(-1);
  const { body } = await call(url, "GET", `/v1/runs?agent_id=${agent_id}`);
  const [row] = body["data"] as Record<string, unknown>[];
  const { type, matches, ...shown } = told ?? {};
  expect([type, matches]).toEqual(["run.changed", true]);
  expect(row).toMatchObject(shown);
  expect(shown["input_preview"]).toContain("Ada");
  expect(shown["duration_ms"]).toBeGreaterThanOrEqual(0);
});

const queries = [
  "",
  "status=error,timeout",
  "status=success&user_id=u1",
  "agent_id=agent0,agent2",
  "version=1.1",
  "origin=replay",
  "replay_of=seed1",
  "worker_id=worker1",
  "lifecycle=interactive",
  "min_duration_ms=0",
  "min_duration_ms=80",
  "error_code=code2",
  "thread_id=t5",
  "job_id=j6",
  "tag=even",
  "bulk_id=b1",
  "metadata[customer]=ada&status=success",
  "since=2026-01-01T05:00:00Z&until=2026-01-01T09:00:00Z",
  "parent_run_id=seed8",
  "root_run_id=seed7",
];

test("every filter of the stream is tried below", () => {
  const tried = queries.flatMap((query) => [...new URLSearchParams(query).keys()].map((name) => name.split("[")[0]));
  expect(Object.keys(runChangeFilter).filter((name) => !tried.includes(name))).toEqual([]);
});

test.each(queries)(
  "the stream with the filter '%s' tells the runs of the list with that filter, and no other",
  async (query) => {
    const { body } = await call(url, "GET", `/v1/runs?limit=100&${query}`);
    const listed = (body["data"] as { id: string }[]).map(({ id }) => id).filter((id) => seeds.includes(id));
    expect(listed.length).toBeGreaterThan(0);
    const reading = await open(query);
    const others = seeds.filter((id) => !listed.includes(id));
    await move([...others, ...listed], null, "queued");
    const events = await reading.until((read) => idsOf(read).includes(listed.at(-1)));
    reading.close();
    expect(idsOf(events)).toEqual(listed);
    expect(changes(events).every(({ matches }) => matches)).toBe(true);
  },
);

test("a run that leaves a list is told as one that no longer matches", async () => {
  const reading = await open("status=running,error&user_id=u0");
  await move(["seed6", "seed12"], "queued", "success");
  await move(["seed6"], "running", "success");
  await move(["seed10"], "running", "error");
  const events = await reading.until((read) => idsOf(read).includes("seed10"));
  reading.close();
  expect(changes(events).map(({ id, matches, status }) => [id, matches, status])).toEqual([
    ["seed6", false, "success"],
    ["seed10", true, "error"],
  ]);
});

test("an error is told without its traceback", async () => {
  const reading = await open("agent_id=agent1");
  await move(["seed1"], "running", "error");
  const events = await reading.until((read) => changes(read).length > 0);
  reading.close();
  expect(changes(events)[0]?.["error"]).toEqual({ code: "code1", type: null, message: "no" });
});

test("a key's stream has its owner's runs only, whatever it filters by", async () => {
  const key = await makeKey(stack, "u1", ["runs:read"]);
  const of = (query: string) => open(query, { authorization: `Bearer ${key}` }, guarded.url);
  const [foreign, all] = [await of("user_id=u0"), await of("")];
  await move(seeds, "running", "success");
  const own = seeds.filter((_, at) => at % 2 === 0);
  expect(idsOf(await all.until((read) => changes(read).length >= own.length))).toEqual(own);
  // What the API's first look told anybody has come by the time its next one is told.
  await move(["seed1"], "running", "success");
  await all.until((read) => changes(read).length > own.length);
  all.close();
  foreign.close();
  expect(changes(foreign.events)).toEqual([]);
});

test("a cut stream goes on after the last id: nothing is missed, also not what is committed late", async () => {
  await makeRuns("cut", 3);
  const slow = new pg.Client({ connectionString: stack.databaseUrl });
  await slow.connect();
  const first = await open("user_id=cut");
  await slow.query("BEGIN");
  await move(["cut1"], "queued", "running", slow);
  await move(["cut2"], "queued", "running");
  first.close();
  await slow.query("COMMIT");
  await slow.end();
  const second = await open("user_id=cut", { "last-event-id": first.events.at(-1)?.id ?? "" });
  const read = await second.until((events) => changes(events).length >= 2);
  expect(idsOf(read)).toEqual(["cut1", "cut2"]);
  // Cut between the two: only what came after the first is told.
  const third = await open("user_id=cut", { "last-event-id": read[0]?.id ?? "" });
  await move(["cut3"], "queued", "running");
  expect(idsOf(await third.until((events) => idsOf(events).includes("cut3")))).toEqual(["cut2", "cut3"]);
  second.close();
  third.close();
});

test("what another database of the same Postgres does delays nothing", async () => {
  await makeRuns("beside", 1);
  const elsewhere = new URL(stack.databaseUrl);
  elsewhere.pathname = "/postgres";
  const long = new pg.Client({ connectionString: elsewhere.href });
  await long.connect();
  await long.query("BEGIN");
  await long.query("SELECT pg_current_xact_id()");
  const reading = await open("user_id=beside");
  await move(["beside1"], "queued", "running");
  await reading.until((events) => changes(events).length > 0);
  await long.end();
  reading.close();
});

test("more changes than a reader is told, or than can be caught up, are one resync, and the stream goes on", async () => {
  const crowd = await makeRuns("crowd", 900);
  const [all, one] = [await open("user_id=crowd"), await open("thread_id=t5")];
  await move([...crowd, "seed5"], null, "queued");
  const resyncs = (events: SentEvent[]) =>
    events.filter(({ event }) => event === "resync").map(({ data }) => data["reason"]);
  await all.until((events) => resyncs(events).includes("too_many"));
  expect(changes(all.events)).toEqual([]);
  await one.until((events) => changes(events).length > 0);
  await move(["crowd7"], "running", "success");
  expect(idsOf(await all.until((events) => idsOf(events).includes("crowd7")))).toEqual(["crowd7"]);
  // Who reads something else is not disturbed.
  expect([idsOf(one.events), resyncs(one.events)]).toEqual([["seed5"], ["start"]]);
  await move(crowd, "queued", "success");
  const late = await open("user_id=nobody", { "last-event-id": one.events[0]?.id ?? "" });
  await late.until((events) => events.length > 0);
  expect(late.events[0]?.data).toEqual({ type: "resync", reason: "too_old" });
  const restored = await open("user_id=nobody", { "last-event-id": "999999999999999-1" });
  await restored.until((events) => events.length > 0);
  expect(restored.events[0]?.data).toEqual({ type: "resync", reason: "start" });
  for (const reading of [all, one, late, restored]) reading.close();
});

test("Postgres is asked four times a second for any number of readers, and not at all without one", async () => {
  /** When the statement began each time, as far as samples show. */
  async function askedWithin(ms: number): Promise<number> {
    const begun = new Set<string>();
    for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) {
      const { rows } = await stack.sql.query<{ at: string }>(
        `SELECT pid || ' ' || query_start AS at FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%FROM run_transitions%xact >=%' AND pid <> pg_backend_pid()`,
      );
      for (const { at } of rows) begun.add(at);
    }
    return begun.size;
  }
  const readings = await Promise.all(Array.from({ length: 30 }, () => open("user_id=u0")));
  const busy = await askedWithin(1_500);
  expect(busy).toBeGreaterThan(0);
  expect(busy).toBeLessThan(20);
  for (const reading of readings) reading.close();
  // Once the API has noticed that they are gone, what the samples show is the last time.
  await waitFor(async () => (await askedWithin(600)) <= 1);
});

test.each([
  ["after=nonsense", 400, "malformed_cursor"],
  ["after=1-", 400, "malformed_cursor"],
  ["search=x", 422, "validation_error"],
  ["status=nope", 422, "validation_error"],
])("%s is a %i", async (query, status, code) => {
  const { status: found, body } = await call(url, "GET", `/v1/runs/stream?${query}`);
  expect(found).toBe(status);
  expect(body["code"] ?? "validation_error").toBe(code);
});
