import { expect, test, vi } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { commandLine, makeFolder, runIn, standIn, startProgram } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

test("api starts a run without its stream, and writes what isn't JSON as it is", async () => {
  const bytes = Buffer.from([0, 255, 254, 10]);
  const { url } = await standIn(({ method, headers }, response) => {
    if (method === "GET") return void response.setHeader("content-type", "image/png").end(bytes);
    const isRecord = headers["prefer"] === "respond-async";
    response.setHeader("content-type", isRecord ? "application/json; charset=utf-8" : "text/event-stream");
    response.end(isRecord ? '{"id": "run_1"}' : "data: {}\n\n");
  });
  const folder = makeFolder();
  const at = { env: { RUNFLEET_URL: url } };
  const started = await runIn(folder, ["api", "POST", "/v1/execute", "-i", "agent_id=a", "--json"], at);
  expect(started).toEqual({ code: 0, out: '{"id":"run_1"}\n', err: "" });
  const file = await startProgram(
    ["bash", "-c", '"$@" | base64', "", ...commandLine, "api", "get", "/v1/runs/run_1/artifacts/a"],
    { env: { ...at.env, PATH: process.env["PATH"], HOME: folder }, cwd: folder },
  ).ended;
  expect(file).toEqual({ code: 0, out: `${bytes.toString("base64")}\n`, err: "" });
});

test("api writes a stream piece by piece, and tells where it was cut", async () => {
  let cut = (): void => undefined;
  const { url } = await standIn((_request, response) => {
    response.setHeader("content-type", "text/event-stream").write("data: 1\n\n");
    cut = () => response.destroy();
  });
  const env = { PATH: process.env["PATH"], RUNFLEET_URL: url };
  const path = "/v1/runs/run_1/stream";
  const { said, ended } = startProgram([...commandLine, "api", "GET", path], { env, cwd: makeFolder() });
  await waitFor(() => said.out === "data: 1\n\n", 60_000);
  cut();
  expect(await ended).toMatchObject({ code: 6, err: expect.stringContaining(`answer to GET ${path} came`) });
});
