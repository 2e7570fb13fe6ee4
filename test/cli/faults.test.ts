import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeFolder, runIn, standIn } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

test("the first login of a profile tells what is wrong: the key, the address, or that none was given", async () => {
  const { url } = await standIn((_request, response) => response.writeHead(401).end('{"detail": "Unknown key."}'));
  const folder = makeFolder();
  const login = (to: string, stdin: string) =>
    runIn(folder, ["login", "--profile", "prod", "--url", to], { stdin, env: { RUNFLEET_URL: url } });
  expect(await login(url, "wrong\n")).toMatchObject({ code: 3, err: expect.stringContaining("runfleet login") });
  const away = "http://127.0.0.1:9";
  expect(await login(away, "wrong\n")).toMatchObject({ code: 6, err: expect.stringContaining(away) });
  expect(await login(url, "")).toMatchObject({ code: 2, err: "No key was given.\n" });
});

test.for<[string, (agent: string) => void, RegExp]>([
  [
    "a file that is larger than a folder may be",
    (agent) => {
      writeFileSync(join(agent, "weights.bin"), "");
      truncateSync(join(agent, "weights.bin"), 3 * 2 ** 30);
    },
    /^The folder has more than 33554432 bytes\. .*\.runfleetignore\.\n$/,
  ],
  [
    "folders that can't be read",
    (agent) => {
      const deep = "import os\nfor _ in range(25): os.mkdir('d' * 200), os.chdir('d' * 200)";
      execFileSync("python3", ["-c", deep], { cwd: agent });
      // Node removes no path that is so long.
      onTestFinished(() => void execFileSync("rm", ["-r", join(agent, "d".repeat(200))]));
    },
    /^ENAMETOOLONG: .*scandir 'agent\/d+.*\.runfleetignore\.\n$/,
  ],
  [
    "a folder as .gitignore",
    (agent) => mkdirSync(join(agent, ".gitignore")),
    /^agent\/\.gitignore can't be read: EISDIR/,
  ],
  [
    "a folder as requirements.txt",
    (agent) => mkdirSync(join(agent, "requirements.txt")),
    /^agent\/requirements\.txt can't be read: EISDIR/,
  ],
])("a folder of an agent that has %s is told as such, and nothing is asked of the service", async ([, spoil, told]) => {
  const { url, asked } = await standIn((_request, response) => response.end("{}"));
  const folder = makeFolder({ "agent/main.py": "def main(input): pass\n" });
  spoil(join(folder, "agent"));
  const checked = await runIn(folder, ["check", "agent"], { env: { RUNFLEET_URL: url } });
  expect(checked).toMatchObject({ code: 2, err: expect.stringMatching(told) });
  expect(asked).toEqual([]);
});

test("a file where a folder is to be made is told with its path", async () => {
  const ran = await runIn(makeFolder({ taken: "" }), ["init", "taken/agent"]);
  expect(ran).toMatchObject({ code: 2, err: expect.stringMatching(/^ENOTDIR: .*'taken\/agent'\.\n$/) });
});

test("a connection that is lost is told with its cause, and whether what was asked for may have been done", async () => {
  const { url } = await standIn(({ socket }) => socket.destroy());
  const at = { env: { RUNFLEET_URL: url } };
  const folder = makeFolder();
  const told = (...args: string[]) => runIn(folder, args, at);
  expect(await told("whoami")).toEqual({ code: 6, out: "", err: `No answer from ${url}: other side closed.\n` });
  const look = expect.stringContaining("closed. Look whether it was done before you ask again.");
  expect(await told("rollback", "agent")).toMatchObject({ code: 6, err: look });
  expect(await told("replay", "run_1")).toMatchObject({ code: 6, err: look });
  const away = await told("whoami", "--url", "http://127.0.0.1:2");
  expect(away).toMatchObject({
    code: 6,
    err: expect.stringMatching(/ECONNREFUSED 127\.0\.0\.1:2\. Start the service with/),
  });
});

test("a fault in the folder is told by the commands that need the folder, and doctor lists it; no other one minds", async () => {
  const { url } = await standIn((_request, response) =>
    response
      .setHeader("content-type", "application/json")
      .end('{"id": "ada", "data": [], "open_runs": {}, "sandbox_levels": [], "sandbox_missing": []}'),
  );
  const folder = makeFolder({ "langgraph.json": '{"graphs": {"one": "./one.py:graph"}, "env": ".env"}' });
  const run = (...args: string[]) => runIn(folder, args, { env: { RUNFLEET_URL: url }, stdin: "rf_key\n" });
  const fault = "langgraph.json: env names '.env', which isn't there.";
  for (const command of [
    "login",
    "whoami",
    "whoami --profile default",
    "runs",
    "secrets --agent one",
    "secrets --all-agents",
  ])
    expect(await run(...command.split(" "))).toMatchObject({ code: 0 });
  for (const command of ["check", "secrets", "profiles", "whoami --profile prod"])
    expect(await run(...command.split(" "))).toMatchObject({ code: 2, err: `${fault}\n` });
  expect(await run("doctor")).toMatchObject({
    code: 1,
    out: expect.stringContaining(`✗ folder: ${fault}\n✓ service: ${url}`),
  });
});
