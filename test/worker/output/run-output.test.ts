import { afterAll, expect, test } from "vitest";
import { beforeFirst, formatEventId } from "../../../shared/domain/run/event-id.ts";
import { placeEvent } from "../../../shared/domain/run/stream-event.ts";
import { createLog } from "../../../shared/platform/log.ts";
import { openRunStreams, type RunStreams } from "../../../shared/platform/stream/run-streams.ts";
import { openDb } from "../../../shared/store/client.ts";
import { readTranscript } from "../../../shared/store/runs/transcript/read-transcript.ts";
import { saveRest } from "../../../worker/attempt/commit-ending.ts";
import { openRunOutput } from "../../../worker/output/run-output.ts";
import { makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
const streams = openRunStreams(stack.redisUrl, stack.prefix, () => undefined);
afterAll(() => {
  streams.close();
  return db.close();
});

const deps = { db, streams, log: createLog("worker", "silent") };
const { url } = await stack.openApi();
const agentId = await makeAgent(url, "def main(input):\n    return 1\n");

/** A run that is at work, as a claim leaves it. */
async function makeRun(id: string, attempt: number): Promise<void> {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
       timeout_ms, input_payload, history, files, request_hash, expires_at, last_seq)
     VALUES ($1, 'tester', $2, '1', 'running', $3, 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() + interval '1 h', 0)`,
    [id, agentId, attempt],
  );
}

const first = { attempt: 1, lost_attempts: 0, requeue_reason: null };
const placesOf = async (id: string): Promise<string[]> =>
  (await readTranscript(db, id, beforeFirst)).map(formatEventId);
const said = (content: number) => ({ type: "output.delta", content }) as const;

const waitsForLock = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

test("a run that says more than Postgres takes waits with it, and goes on where it was", async () => {
  await makeRun("loud", 1);
  const output = openRunOutput(deps, { id: "loud", ...first }, () => undefined);
  // Somebody else has the run's row.
  const holder = await stack.sql.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM runs WHERE id = 'loud' FOR UPDATE");
  let count = 0;
  const speaks = (async () => {
    while (count < 40) {
      await output.push({ type: "output.delta", content: "x".repeat(32 * 1024) });
      count += 1;
    }
  })();
  await waitFor(async () => (await stack.sql.query(waitsForLock)).rowCount === 1);
  // All that was said is streamed, and no more comes while the transcript is behind.
  await waitFor(async () => (await streams.read("loud", { attempt: 0, seq: 0 })).length === count + 1);
  expect(count).toBeLessThan(12);
  await holder.query("COMMIT");
  holder.release();
  await speaks;
  await output.save();
  expect((await readTranscript(db, "loud", { attempt: 0, seq: 0 })).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  output.close();
});

test("what an attempt's end gave the transcript isn't given once more when another end is decided", async () => {
  await makeRun("ends-twice", 1);
  const output = openRunOutput(deps, { id: "ends-twice", ...first }, () => undefined);
  await output.push(said(1));
  await saveRest(db, "ends-twice", output);
  expect(await placesOf("ends-twice")).toEqual(["1-1"]);
  expect((await output.finish(said(2))).map(formatEventId)).toEqual(["1-2"]);
});

test("what a lost attempt sends until the next one is heard of in Redis is kept, too", async () => {
  const late = (seq: number) =>
    streams.append("late", [placeEvent("late", { attempt: 1, seq }, said(seq), new Date())]);
  await makeRun("late", 2);
  await late(1);
  // Redis is away from the second attempt's worker until its agent is over.
  let isAway = true;
  const append: RunStreams["append"] = async (...given) => {
    if (isAway) throw new Error("Connection is closed.");
    return streams.append(...given);
  };
  const second = { attempt: 2, lost_attempts: 1, requeue_reason: "worker_lost" };
  const output = openRunOutput(
    { ...deps, streams: { ...streams, append } },
    { id: "late", ...second },
    () => undefined,
  );
  await output.push(said(1));
  await output.save();
  expect(await placesOf("late")).toEqual(["1-1", "2-1"]);
  const rest = await output.finish(said(2));
  expect(await late(2)).toBe("written");
  isAway = false;
  await output.announce(rest);
  expect(await late(3)).toBe("fenced");
  expect(await placesOf("late")).toEqual(["1-1", "1-2", "2-1"]);
  output.close();
});
