import { chmodSync, copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createContainerAdapter } from "../../../worker/adapters/container/container-adapter.ts";
import { findContainerEngine } from "../../../worker/sandbox/container-engine.ts";
import { ownerTag } from "../../../worker/sandbox/owner-tag.ts";
import { agentRequest, resources, runAgent } from "./run-agent.ts";

const directory = mkdtempSync(join(tmpdir(), "engine-"));
afterAll(() => rm(directory, { recursive: true }));
copyFileSync(new URL("./fake-engine.sh", import.meta.url), join(directory, "docker"));
chmodSync(join(directory, "docker"), 0o755);

const engine = await findContainerEngine(`${directory}:/usr/bin:/bin`);
if (!engine) throw new Error("the stand-in answers");
const adapter = createContainerAdapter({ engine, images: ["agent:1", "acme/agent:*"] });
const request = (script: string, changes = {}) =>
  agentRequest("chatty", { image: "agent:1", command: ["sh", "-c", script], ...changes });
const calls = () => readFileSync(join(directory, "calls"), "utf8").trim().split("\n");

test("without an engine there is no adapter", async () => {
  expect(await findContainerEngine("/nowhere")).toBeNull();
});

test("with a stand-in for docker: stdin is the request, stdout the output, stderr the log, the exit code decides", async () => {
  const { outputs, result } = await runAgent(
    adapter,
    request("cat", { input_payload: { q: 1 }, code: { "a.txt": "x" } }),
  );
  expect(JSON.parse(outputs.join(""))).toMatchObject({
    run_id: "run_1",
    input_payload: { q: 1 },
    files: { "a.txt": "x" },
  });
  expect(result).toBeNull();
  const failed = await runAgent(adapter, request("echo oops >&2; exit 3"));
  expect(failed.error).toMatchObject({ error_type: "Exit3", message: "oops" });
});

test("with a stand-in for docker: the container has no network, no rights, bounds, and secrets are on no command line", async () => {
  const { outputs } = await runAgent(adapter, request('echo "$API_KEY"', { env: { API_KEY: "s3cret" } }));
  expect(outputs.join("")).toBe("s3cret\n");
  const call = calls().at(-1) ?? "";
  for (const option of [
    "--rm",
    "--network none",
    "--cap-drop ALL",
    "--security-opt no-new-privileges",
    "--read-only",
    `--memory ${resources.memory_bytes}`,
    `--pids-limit ${resources.processes}`,
    "--env API_KEY",
    "--pull=never",
    "--user 65532:65532",
    "--ipc private",
    "--cgroupns private",
    "--log-driver none",
    "--no-healthcheck",
    "--cpu-shares 512",
    "--ulimit nofile=1024:1024",
    " -- agent:1 sh -c",
  ])
    expect(call).toContain(option);
  expect(calls().join("\n")).not.toContain("s3cret");
});

test("with a stand-in for docker: an abort kills the container by its name", async () => {
  const { exit } = await runAgent(adapter, request("echo up; exec sleep 60"), (frame) => frame.type === "output");
  expect(exit.signal).toBe("SIGKILL");
  expect(calls().some((call) => call.includes("docker kill "))).toBe(true);
});

test("with a stand-in for docker: a busy engine is asked to kill again, so that no container outlives its run", async () => {
  writeFileSync(join(directory, "busy"), "");
  const { exit } = await runAgent(adapter, request("echo up; exec sleep 60"), (frame) => frame.type === "output");
  expect(exit.signal).toBe("SIGKILL");
  const name = /--name (\S+)/.exec(calls().findLast((call) => call.includes(" run ")) ?? "")?.[1] ?? "";
  const pid = Number(readFileSync(join(directory, `${name}.pid`), "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await expect.poll(calls).toContain(`${join(directory, "docker")} rm --force -- ${name}`);
});

test("a variable that would steer the engine's own client is refused", async () => {
  const { error } = await runAgent(adapter, request("true", { env: { DOCKER_HOST: "ssh://elsewhere" } }));
  expect(error).toMatchObject({ code: "bad_entrypoint", message: expect.stringContaining("DOCKER_HOST") });
});

test("a container that a dead worker left is ended at the next start, others are left alone", async () => {
  const dead = ownerTag().replace(/\d+$/, "1-0-abc");
  writeFileSync(join(directory, "running"), `${dead}\n${ownerTag()}-0-abc\nrunfleet-postgres-1\n`);
  await findContainerEngine(`${directory}:/usr/bin:/bin`);
  expect(calls().at(-1)).toMatch(new RegExp(`docker kill -- ${dead}$`));
});

test("an agent without an image is refused", async () => {
  expect((await runAgent(adapter, request("true", { image: null }))).error?.code).toBe("no_entrypoint");
});

test.each([
  "--privileged",
  "agent",
  "agent:2",
  "evil.example/agent:1",
  "agent:1 --privileged",
  "169.254.169.254/agent:1",
])("the image %s is refused, and no engine hears of it", async (image) => {
  const { error } = await runAgent(adapter, request("true", { image }));
  expect(error).toMatchObject({ code: "bad_entrypoint", message: expect.stringContaining("CONTAINER_IMAGES") });
  expect(calls().join("\n")).not.toContain(`-- ${image} `);
});
