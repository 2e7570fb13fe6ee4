import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { openInteractiveProcesses } from "../../../worker/interactive/interactive-processes.ts";
import type { SandboxProcess } from "../../../worker/sandbox/process.ts";
import { type FakeProcess, openFakeProcess } from "../daemons/fake-process.ts";
import { agentRequest } from "../adapters/run-agent.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

/** Opens the processes of a worker, each of which is told by the test what to do. */
function openProcesses() {
  const started: FakeProcess[] = [];
  const host = (): Promise<SandboxProcess> => {
    const process = openFakeProcess();
    started.push(process);
    process.say({ type: "ready" });
    return Promise.resolve(process.child);
  };
  const processes = openInteractiveProcesses({
    db,
    log: { warn: () => undefined },
    card: { id: "worker_1", leaseMs: 6_000 },
    hosts: new Map([["python", host]]),
    environments: {} as never,
    slots: 2,
  });
  const run = async (run_id: string): Promise<Frame[]> => {
    const request = agentRequest("chatty", { run_id, lifecycle: "interactive", idle_timeout_ms: 0 });
    const frames: Frame[] = [];
    for await (const frame of processes.adapters.get("python")?.run(request, new AbortController().signal) ?? [])
      frames.push(frame);
    return frames;
  };
  const begun = (count: number): Promise<FakeProcess> =>
    expect
      .poll(() => started.length)
      .toBe(count)
      .then(() => started[count - 1] as FakeProcess);
  return { processes, run, begun };
}

async function answer(process: FakeProcess, to: string, result_content: string): Promise<void> {
  await process.asked;
  process.say({ to, type: "result", result_content });
}

test("a thread's message that comes while its idle process is being ended gets another process", async () => {
  const { processes, run, begun } = openProcesses();
  const first = run("run_1");
  const old = await begun(1);
  await answer(old, "run_1", "old");
  await first;
  await processes.renew();
  expect(old.kills()).toBeGreaterThan(0);
  const second = run("run_2");
  old.end();
  await answer(await begun(2), "run_2", "new");
  expect((await second).find(({ type }) => type === "result")).toMatchObject({ result_content: "new" });
});

test("a thread that was released late, for the process before, doesn't lose the one that is at work; that is ended when it is idle", async () => {
  const { processes, run, begun } = openProcesses();
  const running = run("run_1");
  const process = await begun(1);
  await process.asked;
  // There is no lease of this thread in Postgres.
  await processes.renew();
  expect(process.kills()).toBe(0);
  await answer(process, "run_1", "said");
  await running;
  await processes.renew();
  expect(process.kills()).toBeGreaterThan(0);
  process.end();
});
