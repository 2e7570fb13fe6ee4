import { expect, test, vi } from "vitest";
import { showRun } from "../../cli/show-run.ts";
import { openTerminal } from "../../cli/terminal.ts";
import type { RunHandle } from "../../sdk/ts/index.ts";
import { makeFolder, runIn, standIn } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

test("an agent may have a name that begins as a run's id does; a run that isn't there is told as such", async () => {
  const { url } = await standIn(({ url: path = "" }, response) => {
    response.setHeader("content-type", "application/json");
    const [, kind, id] = /^\/v1\/(\w+)\/(\w+)/.exec(path) ?? [];
    const isThere = id === (kind === "agents" ? "run_daily" : "run_1");
    if (!isThere)
      return void response
        .writeHead(404)
        .end(`{"detail": "No ${kind} here.", "code": "${kind?.slice(0, -1)}_not_found"}`);
    const line = { id: "1", level: "info", message: "told", ts: "2026-11-28T00:00:00Z" };
    const data = path.includes("/logs") ? [line] : [{ id: "run_1" }];
    const run = { completed_at: "2026-11-28T00:00:00Z", status: "success", error: null };
    response.end(JSON.stringify({ ...run, data, has_more: false, first_id: "1", last_id: "1" }));
  });
  const logs = (name: string) => runIn(makeFolder(), ["logs", name], { env: { RUNFLEET_URL: url } });
  expect(await logs("run_daily")).toEqual({ code: 0, out: "info  told\n", err: "" });
  expect(await logs("run_away")).toMatchObject({ code: 4, err: expect.stringContaining("run_not_found") });
  expect(await logs("nobody")).toMatchObject({ code: 4, err: expect.stringContaining("agent_not_found") });
});

test("a line of a log may have any length, and a traceback that one of the last lines has shown is not shown again", async () => {
  const said: string[] = [];
  const terminal = { ...openTerminal({ json: false, quiet: true }), say: (line: string) => void said.push(line) };
  const error = { code: "agent_error", message: "no", traceback: 'File "main.py", line 4' };
  const events = [
    { type: "log", seq: 1, message: "x".repeat(1_000_000) },
    { type: "log", seq: 2, message: 'File "/tmp/deep/agent/main.py", line 4' },
    { type: "run.error", seq: 3, error, duration_ms: 5, run_id: "run_1" },
  ];
  await showRun(
    terminal,
    (async function* () {
      yield* events;
    })() as unknown as RunHandle,
  );
  expect(said.slice(1)).toEqual(['  File "/tmp/deep/agent/main.py", line 4', "✗ agent_error: no 0.01 s · run_1"]);
});
