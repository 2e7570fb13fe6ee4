import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { StoredEntry } from "../../../shared/store/journal/read-journal.ts";
import type { Db } from "../../../shared/store/client.ts";
import { keyOf, openRecordedCalls, sealAnswer } from "../../../worker/calls/recorded-calls.ts";

/** Counts how many values it opens. */
function countingRing() {
  const ring = [{ id: "k1", key: randomBytes(32) }];
  const opened = { count: 0 };
  const find = ring.find.bind(ring);
  ring.find = ((...of: Parameters<typeof find>) => {
    opened.count += 1;
    return find(...of);
  }) as typeof ring.find;
  return { ring, opened };
}

const answer = { status: 200, headers: [], body: "" };

test("calls that weren't recorded open the answers of earlier attempts to other paths once", async () => {
  const { ring, opened } = countingRing();
  const calls = await Promise.all(
    Array.from({ length: 50 }, async (_, place) => {
      const key = keyOf({ key: `key${place}`, nth: 0 });
      const request = { path: "/v1/embeddings", request: `{"n":${place}}` };
      const sealed_entry = await sealAnswer(ring, { run_id: "run_1", key }, request, answer);
      return { key, place, sealed_entry } as StoredEntry;
    }),
  );
  const run = { id: "run_1", attempt: 2 };
  const recorded = openRecordedCalls({ db: {} as Db, keyRing: ring }, run, { calls, leftCalls: [] });
  const miss = (path: string) => recorded.findMiss(path, { key: "new", request: '{"n":"x"}' });
  for (let call = 0; call < 20; call += 1) expect(await miss("/v1/chat/completions")).toBeNull();
  expect(opened.count).toBe(50);
  expect(await miss("/v1/embeddings")).toMatchObject({ at: "$.n", was: "0" });
  expect(opened.count).toBe(51);
});
