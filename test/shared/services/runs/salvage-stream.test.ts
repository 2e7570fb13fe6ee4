import { afterAll, expect, test } from "vitest";
import { placeEvent } from "../../../../shared/domain/run/stream-event.ts";
import { salvageStream } from "../../../../shared/services/runs/salvage-stream.ts";
import { openDb } from "../../../../shared/store/client.ts";
import { openRunStreams } from "../../../../shared/platform/stream/run-streams.ts";
import { readTranscript } from "../../../../shared/store/runs/transcript/read-transcript.ts";
import { call, makeAgent } from "../../../harness/client.ts";
import { py } from "../../../harness/py.ts";
import { useTestStack } from "../../../harness/test-stack.ts";
import { waitFor } from "../../../harness/wait-for.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
const streams = openRunStreams(stack.redisUrl, stack.prefix, () => undefined);
await waitFor(() =>
  streams.ping().then(
    () => true,
    () => false,
  ),
);
afterAll(async () => {
  streams.close();
  await db.close();
});

test("of a lost attempt whose stream Redis lost a part of, the transcript gets what stands before the gap, and nothing behind it", async () => {
  const { url } = await stack.openApi();
  await stack.openWorker();
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input):
          time.sleep(60)
    `,
  );
  const { body } = await call(
    url,
    "POST",
    "/v1/execute",
    { agent_id, version: "current" },
    { prefer: "respond-async" },
  );
  const runId = String(body["id"]);
  const say = (attempt: number, seq: number) =>
    streams.append(runId, [placeEvent(runId, { attempt, seq }, { type: "output.delta", content: seq }, new Date())]);
  for (const [attempt, seq] of [
    [7, 1],
    [7, 2],
    [7, 3],
    [7, 8],
    [7, 9],
    [8, 1],
    [8, 2],
  ] as const)
    expect(await say(attempt, seq)).toBe("written");
  await salvageStream(db, streams, runId, 8);
  const kept = await readTranscript(db, runId, { attempt: 7, seq: 0 });
  expect(kept.map(({ attempt, seq }) => `${attempt}-${seq}`)).toEqual(["7-1", "7-2", "7-3", "8-1", "8-2"]);
});
