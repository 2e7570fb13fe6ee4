import { afterAll, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../../shared/platform/log.ts";
import { openDb } from "../../../../shared/store/client.ts";
import { appendDaemonLog } from "../../../../shared/store/daemons/append-daemon-log.ts";
import { readDaemonLog } from "../../../../shared/store/daemons/read-daemon-log.ts";
import { openDaemonLog } from "../../../../worker/daemons/daemon-log.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());
const daemon = { agent_id: "a", epoch: 1 };
const start = { attempt: 0, seq: 0 };

beforeEach(async () => {
  await stack.sql.query("DELETE FROM agents; DELETE FROM users; INSERT INTO users (id) VALUES ('u')");
  await db.prisma.agent.create({ data: { id: "a", user_id: "u", name: "a", current_version: "1" } });
  await db.prisma.agentVersion.create({ data: { agent_id: "a", version: "1", config: {} } });
  await db.prisma.daemon.create({ data: { agent_id: "a", user_id: "u", version: "1", desired: "running", epoch: 1 } });
});

/** Reads a page of the log, and tells how many bytes Postgres gave for it. */
async function read(limit: number, after = start) {
  let bytes = 0;
  const query = async (...args: unknown[]) => {
    const result = (await Reflect.apply(db.sql.query.bind(db.sql), null, args)) as { rows: { entries: unknown }[] };
    bytes += JSON.stringify(result.rows).length;
    return result;
  };
  const page = await readDaemonLog({ sql: { query } as unknown as typeof db.sql }, "a", after, limit);
  return { ...page, bytes };
}

test("a log of long lines is written in small chunks, and a page of one line reads one of them", async () => {
  const log = openDaemonLog({ db, log: createLog("worker", "error") }, daemon);
  for (let n = 1; n <= 200; n += 1) log.add("stdout", `${n} ${"x".repeat(20_000)}`);
  await log.close();
  const one = await read(1);
  expect([one.data.map(({ id }) => id), one.has_more]).toEqual([["1-1"], true]);
  expect(one.bytes).toBeLessThan(256 * 1024);
  const many = await read(1_000);
  // 200 lines of 16 Ki characters are less than a page's 4 MiB.
  expect([many.data.length, many.has_more]).toEqual([200, false]);
  const rest = await read(1_000, { attempt: 1, seq: 190 });
  expect([rest.data[0]?.id, rest.data.length, rest.has_more]).toEqual(["1-191", 10, false]);
  expect(rest.bytes).toBeLessThan(512 * 1024);
});

test("a daemon that prints faster than Postgres writes fills no memory: what has no room is dropped, and the log says so", async () => {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const query = (...args: unknown[]): unknown =>
    answered.then((): unknown => Reflect.apply(db.sql.query.bind(db.sql), null, args));
  const slow = { ...db, sql: { query } as unknown as typeof db.sql };
  const log = openDaemonLog({ db: slow, log: createLog("worker", "error") }, daemon);
  log.add("stdout", "first");
  void log.flush();
  for (let burst = 0; burst < 5; burst += 1) {
    await Promise.resolve();
    for (let n = 0; n < 1_500; n += 1) log.add("stdout", "printed");
    void log.flush();
  }
  // Long lines have less room.
  answer();
  await log.flush();
  for (let n = 0; n < 1_000; n += 1) log.add("stdout", "y".repeat(16_384));
  await log.close();
  const seen = new Map<string, number>();
  for (let after = start, more = true; more;) {
    const { data, has_more } = await read(1_000, after);
    for (const { message } of data) seen.set(message.slice(0, 20), (seen.get(message.slice(0, 20)) ?? 0) + 1);
    after = { attempt: 1, seq: Number(data.at(-1)?.id.split("-")[1]) };
    more = has_more;
  }
  expect(Object.fromEntries(seen)).toEqual({
    first: 1,
    printed: 2_000,
    "5500 lines were drop": 1,
    [`${"y".repeat(20)}`]: 256,
    "744 lines were dropp": 1,
  });
});

test("chunks of an earlier release fill a page and no more", async () => {
  const lines = (from: number) =>
    Array.from({ length: 200 }, (_, n) => {
      return { seq: from + n, level: "info", stream: "stdout" as const, message: "y".repeat(16 * 1024), ts: "" };
    });
  for (let chunk = 0; chunk < 5; chunk += 1) await appendDaemonLog(db, daemon, lines(1 + chunk * 200));
  const page = await read(1_000);
  expect([page.data.length, page.has_more]).toEqual([256, true]);
  expect(page.bytes).toBeLessThan(8 * 1024 * 1024);
  const ids = new Set<string>();
  let after = start;
  for (let more = true; more;) {
    const next = await read(1_000, after);
    for (const { id } of next.data) ids.add(id);
    after = { attempt: 1, seq: Number(next.data.at(-1)?.id.split("-")[1]) };
    more = next.has_more;
  }
  expect(ids.size).toBe(1_000);
});

test("lines that were written one by one come a page at a time, and the last page is known for it", async () => {
  for (let seq = 1; seq <= 120; seq += 1)
    await appendDaemonLog(db, daemon, [{ seq, level: "info", stream: "stdout", message: `${seq}`, ts: "" }]);
  const first = await read(100);
  expect([first.data.length, first.has_more]).toEqual([100, true]);
  const second = await read(100, { attempt: 1, seq: 100 });
  expect([second.data.map(({ message }) => message), second.has_more]).toEqual([
    Array.from({ length: 20 }, (_, n) => String(101 + n)),
    false,
  ]);
  expect((await read(20, { attempt: 1, seq: 100 })).has_more).toBe(false);
});
