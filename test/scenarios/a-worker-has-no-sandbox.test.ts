import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
/** Longer than the test: who waits for a lease to end comes too late. */
const leaseMs = 600_000;

/** How many descriptors a process may have from now on; those that it has stay. */
const allowFiles = (pid: number, files: number): Buffer =>
  execFileSync("python3", [
    "-c",
    `import resource; resource.prlimit(${pid}, resource.RLIMIT_NOFILE, (${files}, resource.prlimit(${pid}, resource.RLIMIT_NOFILE)[1]))`,
  ]);

test.runIf(process.platform === "linux")(
  "a run for which a worker gets no sandbox goes back to the queue at once, and says so when it was tried often enough",
  async () => {
    const worker = await stack.start("worker", { LEASE_MS: String(leaseMs) });
    const pid = worker.child.pid ?? 0;
    const agent_id = await makeAgent(url, "def main(input): return {}", { max_attempts: 2 });
    // An isolated run takes a sandbox of its own.
    const submit = () => execute(url, { agent_id, version: "current", runtime_mode: "isolated" });
    expect((await readEvents(await submit())).at(-1)?.event).toBe("run.success");

    const ends: Record<string, unknown>[] = [];
    // What stood ready is used up first. A connection that the worker closes meanwhile leaves room for a sandbox,
    // which the next round takes away.
    await waitFor(async () => {
      allowFiles(pid, readdirSync(`/proc/${pid}/fd`).length - 5);
      ends.push((await readEvents(await submit())).at(-1)?.data ?? {});
      return ends.at(-1)?.["status"] === "error";
    }, 60_000);
    const lost = ends.at(-1);
    expect(lost).toMatchObject({ error: { code: "sandbox_unavailable" }, duration_ms: expect.any(Number) });
    expect(lost?.["duration_ms"]).toBeLessThan(leaseMs / 10);
    const { body } = await call(url, "GET", `/v1/runs/${String(lost?.["run_id"])}`);
    expect(body).toMatchObject({ status: "error", error: { code: "sandbox_unavailable" } });

    allowFiles(pid, 4_096);
    expect((await readEvents(await submit())).at(-1)?.event).toBe("run.success");
    expect(worker.child.exitCode).toBeNull();
  },
  120_000,
);
