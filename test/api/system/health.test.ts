import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const scratch = mkdtempSync(join(tmpdir(), "health-"));
const stack = await useTestStack();
afterAll(() => rm(scratch, { recursive: true }));

test("health and fleet say why a worker has no stronger level, and its file until when it is alive", async () => {
  const alive = join(scratch, "alive");
  const api = await stack.start("api");
  const worker = await stack.start("worker", { BWRAP: "/nonexistent", ALIVE_FILE: alive });
  const read = async (path: string) => (await fetch(`${api.url}${path}`)).json();
  expect(await read("/health")).toMatchObject({
    workers: 1,
    sandbox_missing: expect.arrayContaining(["ns: bubblewrap is not installed"]),
  });
  expect(JSON.stringify(await read("/v1/admin/fleet"))).toContain("ns: bubblewrap is not installed");

  await waitFor(() => existsSync(alive));
  const until = Number(readFileSync(alive, "utf8"));
  expect(until).toBeGreaterThan(Date.now());
  await waitFor(() => Number(readFileSync(alive, "utf8")) > until);
  await worker.stop();
});

test("a worker that can't have the level it must have ends before it joins the fleet", async () => {
  const env = { BWRAP: "/nonexistent", SANDBOX_MIN_LEVEL: "3" };
  await expect(stack.start("worker", env)).rejects.toThrow(/ended with code [^0]/);
});
