import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../../shared/platform/log.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { readProcess } from "../../../worker/adapters/read-process.ts";
import { openDaemonProcess } from "../../../worker/daemons/daemon-process.ts";
import { abortReasonOf } from "../../../worker/lease/abort-reason.ts";
import { createLeaseKeeper } from "../../../worker/lease/hold-leases.ts";
import { agentRequest } from "../adapters/run-agent.ts";
import { type FakeProcess, openFakeProcess } from "../daemons/fake-process.ts";

const stop_grace_ms = 30_000;

/** Holds a run of a worker that has just lost its Postgres. */
function holdWithoutPostgres() {
  const away = () => Promise.reject(new Error("Connection terminated"));
  const keeper = createLeaseKeeper({ sql: { query: away } } as unknown as Db, 4_800, createLog("worker", "silent"));
  onTestFinished(() => keeper.close());
  return keeper.hold({ id: "run_1", attempt: 1, cancel_asked_ms: null }, performance.now());
}

async function endWhenKilled(process: FakeProcess, frames: AsyncIterable<Frame>): Promise<void> {
  await expect.poll(() => process.kills(), { timeout: 20_000 }).toBeGreaterThan(0);
  process.end();
  for await (const _ of frames);
}

test("a run that is asked to end is killed at once when its lease is lost, whatever time it has left", async () => {
  const hold = holdWithoutPostgres();
  const process = openFakeProcess();
  const frames = readProcess(process.child, { opening: [], signal: hold.signal, stop_grace_ms });
  const first = frames.next();
  hold.stop("deadline");
  expect([process.kills(), abortReasonOf(hold.signal)]).toEqual([0, "deadline"]);
  await endWhenKilled(process, frames);
  await first;
  expect(abortReasonOf(hold.signal)).toBe("fenced");
});

test("so is the process of a daemon whose message is asked to end", async () => {
  const hold = holdWithoutPostgres();
  const process = openFakeProcess();
  const nothing = () => undefined;
  const events = { onReady: nothing, onAlive: nothing, onOwn: nothing, onPrint: () => null };
  const daemon = openDaemonProcess(process.child, events);
  process.say({ type: "ready" });
  const frames = daemon.deliver(agentRequest("chatty", { stop_grace_ms }), hold.signal);
  await frames.next();
  const next = frames.next();
  await process.asked;
  hold.stop("cancelled");
  expect(process.kills()).toBe(0);
  await endWhenKilled(process, frames);
  await next;
});
