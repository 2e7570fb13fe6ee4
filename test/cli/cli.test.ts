import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { showRun } from "../../cli/show-run.ts";
import { createStatusLine } from "../../cli/status-line.ts";
import { openTerminal } from "../../cli/terminal.ts";
import { freePort } from "../../dev/free-port.ts";
import type { RunEvent, RunHandle } from "../../sdk/ts/index.ts";
import { call } from "../harness/client.ts";
import { commandLine, type Ran, startProgram, typing } from "../harness/command-line.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const stack = await useTestStack();
const { url } = await stack.startService();
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync("/var/tmp/runfleet-cli-");
afterAll(() => rmSync(folder, { recursive: true }));

const start = (args: string[], env: Record<string, string> = {}, at: { cwd?: string; stdin?: string } = {}) =>
  startHere([...commandLine, ...args], env, at);

function startHere(program: string[], env: Record<string, string> = {}, { cwd = folder, stdin = "" } = {}) {
  const all = { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: url, ...env };
  return startProgram(program, { env: all, cwd, stdin });
}
const runfleet = (...args: string[]) => start(args).ended;
/** `program`: what Python does with the terminal of a command. */
const onTerminal = (program: string, args: string[]) =>
  startHere(["python3", "-c", program, ...commandLine, ...args]).ended;

test("an author's day: init, check, deploy, run, logs, a change, rollback", async () => {
  expect(await runfleet("init", "hello")).toMatchObject({ code: 0, out: expect.stringContaining("hello/main.py") });
  const { $schema } = JSON.parse(readFileSync(join(folder, "hello/runfleet.json"), "utf8")) as { $schema: string };
  expect(await (await fetch($schema)).json()).toMatchObject({ title: "runfleet.json" });
  expect((await runfleet("init", "hello")).code).toBe(5);
  expect(await runfleet("check", "hello")).toMatchObject({ code: 0 });
  expect(await runfleet("deploy", "hello")).toMatchObject({ code: 0, out: "hello 1.0.0\n" });
  expect(await runfleet("deploy", "hello")).toMatchObject({
    code: 0,
    err: expect.stringContaining("nothing has changed"),
  });
  const ran = await runfleet("run", "hello", "-f", "hello/input.json");
  expect(ran).toMatchObject({ code: 0, err: expect.stringMatching(/✓ success [\d.]+ s · run_/) });
  expect(ran.out).toBe('Hello, Ada\n{\n  "greeted": "Ada"\n}\n');
  const { out, err } = await runfleet("logs", "hello");
  expect([out, err]).toEqual(["", expect.stringMatching(/^run_\w+ has logged nothing\. .* runfleet tail run_/)]);

  const main = join(folder, "hello/main.py");
  writeFileSync(main, 'import sys\ndef main(input):\n    print("told", file=sys.stderr)\n    return input["n"] * 2\n');
  const next = await runfleet("deploy", "hello", "--json");
  expect(JSON.parse(next.out)).toMatchObject({
    agent: "hello",
    created: true,
    version: expect.stringMatching(/^1\.0\.0\+/),
  });
  const piped = await runfleet("run", "hello", "-i", "n=21", "--json");
  const events = piped.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["run.queued", "log", "run.success"]));
  expect((await runfleet("logs", "hello", "-f")).out).toMatch(/told/);
  const named = { agent_id: "hello", version: "latest", input_payload: { n: 1 }, run_id: "chosen-by-me" };
  await (
    await fetch(`${url}/v1/execute`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(named),
    })
  ).text();
  expect((await runfleet("logs", "chosen-by-me")).out).toMatch(/told/);
  expect((await runfleet("rollback", "hello")).out).toMatch(/^hello 1\.0\.0 is the current version/);
  expect((await runfleet("run", "hello@latest", "-i", "n=1")).out).toContain("2");
});

test("what is wrong is told with its place and an exit code of its own", async () => {
  await runfleet("init", "faulty");
  writeFileSync(join(folder, "faulty/main.py"), "def main(:\n");
  expect(await runfleet("check", "faulty")).toMatchObject({
    code: 2,
    err: expect.stringContaining("main.py:1:10: syntax error"),
  });
  expect(await runfleet("deploy", "faulty")).toMatchObject({ code: 2, out: "" });
  const logged = "  try:\n    raise ValueError('no')\n  except ValueError:\n    logging.exception('oh')\n    raise\n";
  writeFileSync(join(folder, "faulty/main.py"), `import logging\ndef main(input):\n${logged}`);
  await runfleet("deploy", "faulty");
  const failed = await runfleet("run", "faulty");
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(/main\.py", line 4[\s\S]*✗ agent_error: no/);
  // The agent has logged its traceback already.
  expect(failed.err.split("Traceback")).toHaveLength(2);
  expect((await runfleet("logs", "faulty")).err).toContain("✗ error · agent_error: no");
  expect(await runfleet("run", "nobody")).toMatchObject({ code: 4, err: expect.stringContaining("agent_not_found") });
  expect((await runfleet("frobnicate")).code).toBe(2);
  expect((await runfleet("run")).code).toBe(2);
  expect((await runfleet("run", "faulty", "--colour")).code).toBe(2);
  expect((await start(["run", "faulty"], { RUNFLEET_URL: "http://127.0.0.1:9" }).ended).code).toBe(6);
  writeFileSync(join(folder, "faulty/runfleet.json"), '{"agent": "faulty", "config": {"limits": {"timeout": 5}}}');
  expect(await runfleet("check", "faulty")).toMatchObject({ code: 2, err: expect.stringContaining("limits.timeout") });
});

test("a Node agent is bundled on the way; a build that fails says why", async () => {
  await runfleet("init", "node-agent", "--template", "node");
  expect(await runfleet("deploy", "node-agent")).toMatchObject({
    code: 0,
    err: expect.stringContaining("bundled main.ts"),
  });
  expect((await runfleet("run", "node-agent", "-i", "name=Bo")).out).toBe('Hello, Bo\n{\n  "greeted": "Bo"\n}\n');
  writeFileSync(join(folder, "node-agent/main.ts"), 'import { x } from "./gone";\nexport const main = () => x;\n');
  const failed = await runfleet("deploy", "node-agent");
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('Could not resolve "./gone"') });
  const [, version = ""] = /node-agent (\S+)/.exec(failed.out + failed.err) ?? [];
  const run = await runfleet("run", `node-agent@${version}`, "-i", "name=Bo");
  expect(run).toMatchObject({
    code: 1,
    err: expect.stringContaining(`runfleet versions build node-agent ${version}\n`),
  });
  // What didn't build is not the current version.
  expect((await runfleet("run", "node-agent", "-i", "name=Bo")).code).toBe(0);
});

test("dev runs each change as a development version, and never touches the current one", async () => {
  await runfleet("init", "daily");
  await runfleet("deploy", "daily");
  const main = join(folder, "daily/main.py");
  const { child, said, ended } = start(["dev", "daily", "-i", "name=Eve"]);
  await waitFor(() => said.out.includes("Hello, Eve"), 60_000);
  writeFileSync(main, readFileSync(main, "utf8").replace("Hello", "Good day"));
  await waitFor(() => said.out.includes("Good day, Eve"), 60_000);
  writeFileSync(main, "def main(\n");
  await waitFor(() => said.err.includes("syntax error"), 60_000);
  child.kill("SIGKILL");
  await ended;
  const { body } = await call(url, "GET", "/v1/agents/daily");
  expect(body["current_version"]).toBe("1.0.0");
});

test("files are chosen as .gitignore would, packages are read from their own files, and secrets stay at home", async () => {
  await runfleet("init", "picky");
  const at = (name: string) => join(folder, "picky", name);
  writeFileSync(at(".env"), "TOKEN=secret");
  writeFileSync(at("notes.txt"), "mine");
  writeFileSync(at("logo.bin"), Buffer.from([0, 255, 1]));
  mkdirSync(at("dist/deep"), { recursive: true });
  writeFileSync(at("dist/kept.js"), "1");
  writeFileSync(at("dist/deep/gone.js"), "1");
  writeFileSync(at("dist/deep/.gitignore"), "*\n");
  writeFileSync(at(".gitignore"), "*.txt\ndist/\nlocal.py\n");
  writeFileSync(at("local.py"), "");
  symlinkSync("/etc/passwd", at("link.py"));
  writeFileSync(at(".runfleetignore"), "!dist/\n");
  writeFileSync(at("pyproject.toml"), '[project]\nname = "x"\ndependencies = [\n  "httpx>=0.27", # web\n]\n');
  await runfleet("deploy", "picky", "--no-promote");
  const { body } = await call(url, "GET", "/v1/versions/picky/1.0.0");
  const config = body["config"] as { files: Record<string, string>; requirements: string[] };
  expect(Object.keys(config.files).toSorted()).toEqual([
    ...["dist/kept.js", "input.json", "logo.bin", "main.py", "pyproject.toml"],
  ]);
  expect(config.requirements).toEqual(["httpx>=0.27"]);
  writeFileSync(at("requirements.txt"), "# none\n--index-url http://evil\n");
  expect(await runfleet("deploy", "picky")).toMatchObject({
    code: 2,
    err: expect.stringContaining("requirements.txt:2"),
  });
});

test("Ctrl-C leaves the run alone and says how to come back", async () => {
  await runfleet("init", "slow");
  writeFileSync(
    join(folder, "slow/main.py"),
    'import time\ndef main(input):\n    yield "begun"\n    time.sleep(1)\n    yield "done"\n',
  );
  await runfleet("deploy", "slow");
  const { child, said, ended } = start(["run", "slow"]);
  await waitFor(() => said.out.includes("begun"), 60_000);
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect(code).toBe(130);
  const id = /runfleet tail (run_\w+)/.exec(err)?.[1] ?? "";
  expect(await runfleet("tail", id)).toMatchObject({ code: 0, out: expect.stringContaining("begundone") });
});

test("a folder that JSON can't hold is sent packed, with all of its bytes and a config that no address has room for", async () => {
  await runfleet("init", "large");
  const at = (name: string) => join(folder, "large", name);
  const bytes = Buffer.alloc(4 * 1024 * 1024, 7);
  writeFileSync(at("model.bin"), bytes);
  writeFileSync(at("ünï code.txt"), "ü".repeat(1000));
  writeFileSync(
    at("main.py"),
    `import hashlib, os\ndef main(input):\n    return {"sha": hashlib.sha256(open("model.bin", "rb").read()).hexdigest(), "names": sorted(os.listdir(".")), "env": len(os.environ["LONG"])}\n`,
  );
  writeFileSync(at("runfleet.json"), JSON.stringify({ agent: "large", config: { env: { LONG: "l".repeat(30_000) } } }));
  writeFileSync(at("notes.txt"), "n".repeat(3 * 1024 * 1024));
  expect(await runfleet("deploy", "large")).toMatchObject({ code: 0, out: "large 1.0.0\n" });
  const ran = JSON.parse((await runfleet("run", "large", "--quiet")).out) as {
    sha: string;
    names: string[];
    env: number;
  };
  expect(ran.sha).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(ran.names).toEqual(expect.arrayContaining(["main.py", "model.bin", "ünï code.txt"]));
  expect(ran.env).toBe(30_000);
  writeFileSync(at("more.bin"), Buffer.alloc(33 * 1024 * 1024));
  expect(await runfleet("deploy", "large")).toMatchObject({ code: 2, err: expect.stringContaining(".runfleetignore") });
});

test("runs are listed, shown, compared, cancelled and started again, one by one and by a filter", async () => {
  await runfleet("init", "listed");
  await runfleet("deploy", "listed");
  const [one, other] = ["Ada", "Bo"].map((name) => runfleet("run", "listed", "-i", `name=${name}`, "--json"));
  const idOf = async (ran: Promise<Ran> | undefined) =>
    (JSON.parse(((await ran)?.out ?? "").split("\n")[0] ?? "{}") as { run_id: string }).run_id;
  const [first, second] = [await idOf(one), await idOf(other)];
  const table = await runfleet("runs", "ls", "--agent", "listed", "--since", "1h");
  expect(table.out).toMatch(/^RUN +STATUS +AGENT +TOOK +AGE\b/);
  expect(table.out).toMatch(new RegExp(`${first} +success +listed@1\\.0\\.0 +[\\d.]+ s `));
  expect((await runfleet("runs", "--agent", "listed", "-n", "1")).out.trim().split("\n")).toHaveLength(2);
  const page = JSON.parse((await runfleet("runs", "ls", "--agent", "listed", "--json")).out) as { data: unknown[] };
  expect(page).toMatchObject({ data: [{ object: "run" }, { object: "run" }], has_more: false });
  const all = await runfleet("runs", "ls", "--agent", "listed", "--all", "--json");
  expect(
    all.out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { object: string }).object),
  ).toEqual(["run", "run"]);
  expect(JSON.parse((await runfleet("runs", "get", first)).out)).toMatchObject({ id: first, status: "success" });
  expect((await runfleet("runs", "diff", first, second)).out).toContain('input_payload.name\n- "Ada"\n+ "Bo"');
  expect((await runfleet("runs", "events", first)).out).toContain("run.success");
  const again = (await runfleet("replay", first, "-i", "name=Cy")).out.trim();
  expect((await runfleet("tail", again, "-q")).out).toContain("Hello, Cy");

  expect(await runfleet("replay", "--agent", "listed", "--status", "success")).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Runs that match: 3\.[\s\S]*Nothing was done/),
  });
  const many = await runfleet("replay", "--agent", "listed", "--status", "success", "--yes");
  expect(many).toMatchObject({ code: 0, out: "3 done, 0 failed\n" });
  expect(await runfleet("cancel", first)).toMatchObject({ code: 0, out: `${first} success\n` });
  expect(await runfleet("cancel")).toMatchObject({ code: 2, err: expect.stringContaining("Name runs, or a filter") });
  expect(await runfleet("runs", "rm", first)).toMatchObject({ code: 0 });
  expect(await runfleet("runs", "get", first)).toMatchObject({ code: 4 });
  expect((await runfleet("runs", "frobnicate")).err).toContain("runfleet runs ls");
});

test("a filter whose older runs aren't counted says so, and goes on to them also where none was counted", async () => {
  const asked: unknown[] = [];
  const service = createHttpServer((req, res) => {
    req.setEncoding("utf8").on("data", (text: string) => asked.push(JSON.parse(text)));
    req.on("end", () => {
      const isPreview = (asked.at(-1) as { preview?: boolean }).preview;
      const counted = { total: 0, more: true };
      const done = { id: "bulk_1", done: 3, failed: 0, finished_at: "2026-11-28T00:00:00Z" };
      res.setHeader("content-type", "application/json").end(JSON.stringify(isPreview ? counted : done));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void service.close());
  const at = { RUNFLEET_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  const args = ["cancel", "--search", "invoice"];
  const told = "Runs that match: at least 0, since older runs were not counted.";
  expect(await start(args, at).ended).toMatchObject({ code: 2, err: expect.stringContaining(told) });
  expect(asked).toHaveLength(1);
  expect(await start([...args, "--yes"], at).ended).toMatchObject({ code: 0, out: "3 done, 0 failed\n" });
});

test("agents, versions, tags and secrets: each has its command, and a secret's value is never shown", async () => {
  await runfleet("init", "kept");
  const main = join(folder, "kept/main.py");
  writeFileSync(main, 'import os\ndef main(input):\n    return os.environ["TOKEN"]\n');
  writeFileSync(join(folder, "kept/runfleet.json"), '{"agent": "kept", "config": {"secrets": ["TOKEN"]}}');
  const here = { cwd: join(folder, "kept") };
  expect(await start(["deploy"], {}, here).ended).toMatchObject({ code: 0, out: "kept 1.0.0\n" });
  expect(await runfleet("run", "kept")).toMatchObject({ code: 1, err: expect.stringContaining("secret_not_set") });
  const set = await start(["secrets", "set", "TOKEN"], {}, { ...here, stdin: "s3cret-word\n" }).ended;
  expect(set).toMatchObject({ code: 0, out: "TOKEN is set\n" });
  expect((await runfleet("secrets", "--agent", "kept")).out).toMatch(/^SECRET +TAG +CHANGED\nTOKEN /);
  expect(JSON.stringify(await runfleet("secrets", "ls", "--agent", "kept", "--json"))).not.toContain("s3cret");
  const ran = await runfleet("run", "kept");
  expect(ran.code).toBe(0);
  expect(ran.out).not.toContain("s3cret-word");
  expect(await runfleet("secrets", "set", "OTHER", "--agent", "kept")).toMatchObject({ code: 2 });
  // In an agent's folder, too, a secret of all agents can be set.
  const shared = await start(["secrets", "set", "SHARED", "--all-agents"], {}, { ...here, stdin: "for-all" }).ended;
  expect(shared).toMatchObject({ code: 0, out: "SHARED is set\n" });
  expect((await runfleet("secrets", "--agent", "kept")).out).not.toContain("SHARED");
  expect((await start(["secrets", "ls", "--all-agents"], {}, here).ended).out).toContain("SHARED");
  expect((await start(["secrets", "rm", "SHARED", "--all-agents"], {}, here).ended).code).toBe(0);
  expect((await start(["secrets", "ls", "--all-agents", "--agent", "kept"], {}, here).ended).code).toBe(2);

  writeFileSync(main, "def main(input): return 2\n");
  const next = JSON.parse((await runfleet("deploy", "kept", "--no-promote", "--json")).out) as { version: string };
  expect((await runfleet("versions", "tag", "kept", "beta", next.version)).out).toBe(`kept@beta is ${next.version}\n`);
  expect((await runfleet("versions", "ls", "kept")).out).toMatch(/1\.0\.0 +current +ready/);
  expect((await runfleet("versions", "diff", "kept", "1.0.0", next.version)).out).toContain("main.py");
  expect((await runfleet("run", "kept@beta")).out).toContain("2");
  expect((await runfleet("promote", "kept", next.version)).out).toContain("was 1.0.0");
  expect((await runfleet("agents")).out).toMatch(/kept +1\.0\.0\+\w+ +active/);
  expect(await runfleet("agents", "pause", "kept")).toMatchObject({ code: 0 });
  expect(JSON.parse((await runfleet("agents", "get", "kept")).out)).toMatchObject({ status: "paused" });
  await runfleet("agents", "resume", "kept");
  expect((await runfleet("schedule", "add", "kept", "every 1h")).out).toMatch(/^job_\w+ is due next at /);
  expect((await runfleet("schedule")).out).toMatch(/kept +every 1h +active/);
  expect(await runfleet("agents", "rm", "kept")).toMatchObject({ code: 0, out: "kept is deleted\n" });
  expect((await runfleet("agents", "get", "kept")).code).toBe(4);
});

test("a folder's runfleet.json sends no key to an address of its choice, unless its profile is named", async () => {
  const asked: string[] = [];
  const foreign = createServer((socket) =>
    socket.once("data", (data) => (asked.push(data.toString()), socket.destroy())),
  );
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void foreign.close());
  const its = { url: `http://127.0.0.1:${(foreign.address() as AddressInfo).port}` };
  const cloned = join(folder, "cloned");
  mkdirSync(cloned);
  writeFileSync(join(cloned, "runfleet.json"), JSON.stringify({ profiles: { default: its, work: its, staging: its } }));
  const home = join(folder, "cloner");
  mkdirSync(join(home, ".config/runfleet"), { recursive: true });
  const own = { default: { url, api_key: "rf_own" }, work: { url } };
  writeFileSync(join(home, ".config/runfleet/config.json"), JSON.stringify({ profiles: own }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, RUNFLEET_API_KEY: "rf_key" };
  const inFolder = (...args: string[]): Promise<Ran> =>
    startHere(["env", "-u", "RUNFLEET_URL", ...commandLine, ...args], env, { cwd: cloned }).ended;
  expect((await inFolder("whoami")).out).toContain(` at ${url}`);
  expect((await inFolder("whoami", "--profile", "work")).out).toContain(` at ${url}`);
  expect((await inFolder("__complete", "runs", "get")).code).toBe(0);
  expect((await inFolder("profiles")).out).toMatch(/staging +http/);
  expect(asked).toEqual([]);
  expect((await inFolder("whoami", "--profile", "staging")).code).toBe(6);
  expect(asked[0]).toContain("rf_key");
});

test("a reader who has seen enough ends a command quietly", async () => {
  const piped = `"$@" help | true; echo "\${PIPESTATUS[0]}"`;
  expect(await startHere(["bash", "-c", piped, "", ...commandLine]).ended).toEqual({ code: 0, out: "0\n", err: "" });
});

test("a later attempt is told as what it is: all above is void, or it goes on; a suspended run doesn't run", async () => {
  const said: string[] = [];
  const terminal = { ...openTerminal({ json: false, quiet: true }), say: (line: string) => void said.push(line) };
  const begun = { type: "run.started", seq: 1 };
  const discards = { attempt: 1, reason: "worker_lost" };
  const events = [
    { ...begun, attempt: 2, discards },
    { ...begun, attempt: 3, keeps: "2-1" },
  ];
  await showRun(
    terminal,
    (async function* () {
      yield* events;
    })() as unknown as RunHandle,
  );
  expect(said).toEqual(["↻ attempt 2: what stands above is void", "↻ attempt 3 goes on"]);
  const status = createStatusLine();
  status.note({ type: "run.suspended" } as RunEvent);
  expect(status.line(1_000)).toBe("suspended · 1 s");
});

test("login keeps a key for its user alone; profiles are told apart; doctor says what is there", async () => {
  const home = { HOME: join(folder, "home"), RUNFLEET_URL: "" };
  mkdirSync(home.HOME);
  const env = { ...home, RUNFLEET_URL: url };
  const signedIn = await start(["login", "--profile", "work", "--json"], env, { stdin: "rf_some-key\n" }).ended;
  expect(JSON.parse(signedIn.out)).toMatchObject({ profile: "work", url });
  const file = join(home.HOME, ".config/runfleet/config.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain("rf_some-key");
  const listed = await start(["profiles"], env).ended;
  expect(listed.out).toMatch(new RegExp(`work +${url} +kept`));
  expect(listed.out).not.toContain("rf_some-key");
  const { RUNFLEET_URL: _, ...unnamed } = env;
  expect((await start(["whoami", "--profile", "work"], { ...unnamed, RUNFLEET_URL: url }).ended).out).toContain(
    ` at ${url}`,
  );
  expect((await start(["logout", "--profile", "work"], env).ended).code).toBe(0);
  expect((await start(["whoami", "--profile", "work"], env).ended).code).toBe(2);
  expect((await start(["login"], env, { stdin: "" }).ended).code).toBe(2);

  const healthy = await runfleet("doctor");
  expect(healthy).toMatchObject({
    code: 0,
    out: expect.stringMatching(/✓ postgres: up\n✓ redis: up\n✓ workers: 1 alive/),
  });
  const away = await start(["doctor"], { RUNFLEET_URL: "http://127.0.0.1:9" }).ended;
  expect(away).toMatchObject({ code: 1, out: expect.stringMatching(/✗ health: No answer from/) });
});

test("tail follows an agent or all, a line for each change; top shows what has not ended", async () => {
  await runfleet("init", "tailed");
  await runfleet("deploy", "tailed");
  const reading = [start(["tail", "tailed"]), start(["tail", "--all", "--json"])] as const;
  await waitFor(() => reading[1].said.out.includes('"start"'), 60_000);
  // A run that ends before the first one reads is told by --since below.
  await runfleet("run", "tailed", "-i", "name=Ada");
  await waitFor(() => reading[1].said.out.includes('"status":"success"'), 60_000);
  const events = reading[1].said.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; agent_id?: string });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["resync", "run.changed"]));
  expect(events.some(({ agent_id }) => agent_id === "tailed")).toBe(true);
  const since = start(["tail", "tailed", "--since", "1h", "--status", "success"]);
  await waitFor(() => /success +tailed@1\.0\.0 +run_\w+ +[\d.]+ s +\{"name"/.test(since.said.out), 60_000);
  for (const { child } of [...reading, since]) child.kill("SIGINT");
  for (const { ended } of [...reading, since]) expect((await ended).code).toBe(130);
  expect((await runfleet("tail", "nobody")).code).toBe(4);
  expect((await runfleet("tail")).code).toBe(2);

  const later = { agent_id: "tailed", version: "current", delay_ms: 600_000 };
  const { body } = await call(url, "POST", "/v1/execute", later, { prefer: "respond-async" });
  const waiting = String(body["run_id"] ?? body["id"]);
  const shown = await runfleet("top", "--agent", "tailed");
  expect(shown.out).toMatch(/^runs: 1 scheduled\nworkers: \d+, \d+ of \d+ slots busy\n\nRUN +STATUS/);
  expect(shown.out).toContain(waiting);
  expect(shown.out).not.toContain("\u001B");
  const { runs, workers } = JSON.parse((await runfleet("top", "--agent", "tailed", "--json")).out);
  expect([runs.length, runs[0].id, workers.length > 0]).toEqual([1, waiting, true]);
  await runfleet("cancel", waiting, "--yes");
});

test("on a terminal top is live until Ctrl-C, and leaves the screen as it was", async () => {
  const program =
    "import os,pty,select,sys,time\npid,fd=pty.fork()\nif pid==0: os.execv(sys.argv[1],sys.argv[1:])\n" +
    "seen=b''\nend=time.time()+60\nwhile b'runs:' not in seen and time.time()<end:\n  seen+=os.read(fd,65536)\n" +
    "os.write(fd,b'\\x03')\ntry:\n  while True:\n    part=os.read(fd,65536)\n    if not part: break\n    seen+=part\nexcept OSError: pass\n" +
    "sys.stdout.buffer.write(seen)\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))";
  const { code, out } = await onTerminal(program, ["top"]);
  expect(out.startsWith("\u001B[?1049h")).toBe(true);
  expect(out).toContain("runs:");
  expect(out.endsWith("\u001B[?25h\u001B[?1049l")).toBe(true);
  expect(code).toBe(0);
});

test("on a terminal the last line says what goes on, and nothing of it stays; elsewhere there are plain lines", async () => {
  await runfleet("init", "lively", "--template", "node");
  writeFileSync(
    join(folder, "lively/main.ts"),
    'export async function main(_input: object, context: any) {\n  context.usage({ input_tokens: 40, output_tokens: 2 });\n  await context.tool("search", {}, () => new Promise((resolve) => setTimeout(resolve, 900)));\n  return 1;\n}\n',
  );
  const program =
    "import os,pty,sys\npid,fd=pty.fork()\nif pid==0: os.execv(sys.argv[1],sys.argv[1:])\nseen=b''\n" +
    "try:\n  while True:\n    part=os.read(fd,65536)\n    if not part: break\n    seen+=part\nexcept OSError: pass\n" +
    "sys.stdout.buffer.write(seen)\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))";
  const seen = async (...args: string[]) => {
    const { out } = await onTerminal(program, args);
    // What a person sees at the end.
    const left = out
      .split("\n")
      .map((line) => (line.split("\u001B[2K").at(-1) ?? "").trim())
      .filter((line) => line !== "");
    return { out, left };
  };
  const built = await seen("deploy", "lively");
  expect(built.out).toMatch(/Publishing lively: 3 files, \d+ KiB/);
  expect(built.out).toContain("Building lively 1.0.0 · 0 s");
  expect(built.left).toEqual([expect.stringMatching(/^Built lively 1\.0\.0 in \d+ s$/), "lively 1.0.0"]);
  const ran = await seen("run", "lively");
  expect(ran.out).toMatch(/running · ▸ search · 42 tokens · \d+ s/);
  expect(ran.left).toEqual([
    "▸ search {}",
    "{",
    '"output": 1',
    "}",
    expect.stringMatching(/^✓ success [\d.]+ s · 42 tokens · run_\w+$/),
  ]);
  const piped = await runfleet("run", "lively");
  expect(piped.err).toMatch(/^▸ search \{\}\n✓ success [^\n]+\n$/);
});

test("an error of the service says the next step", async () => {
  expect(await runfleet("run", "nobody")).toMatchObject({ code: 4, err: expect.stringContaining("runfleet deploy") });
  expect(await runfleet("runs", "get", "r-none")).toMatchObject({
    code: 4,
    err: expect.stringContaining("runfleet runs lists"),
  });
});

test("an address is enough for a webhook, which has all events then", async () => {
  const added = await runfleet("webhooks", "add", "https://example.com/hook", "--json");
  expect([added.code, JSON.parse(added.out)]).toMatchObject([0, { url: "https://example.com/hook", events: ["*"] }]);
});

test("a shell completes commands, flags and ids", async () => {
  const of = async (...words: string[]) => (await runfleet("__complete", ...words)).out.split("\n");
  expect(await of()).toEqual(expect.arrayContaining(["init", "runs", "deploy", "doctor"]));
  expect(await of("runs")).toEqual(expect.arrayContaining(["ls", "get", "diff"]));
  expect(await of("deploy")).toContain("--no-promote");
  await runfleet("init", "completed");
  await runfleet("deploy", "completed");
  expect(await of("agents", "get")).toContain("completed");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(join(root, "dist/cli/main.js"), join(bin, "runfleet"));
  const script = (await runfleet("completion", "bash")).out;
  const typed = `${script}\nCOMP_WORDS=(runfleet dep); COMP_CWORD=1; _runfleet; echo "\${COMPREPLY[@]}"`;
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  expect((await startHere(["bash", "-c", typed], { PATH: path }).ended).out).toBe("deploy\n");
});

test("a question of a run is answered, and the run is shown to its end", async () => {
  await runfleet("init", "asking");
  writeFileSync(
    join(folder, "asking/main.py"),
    "def main(input, context):\n    yield 'asks '\n    return {'said': context.interrupt('Sure?')}\n",
  );
  await runfleet("deploy", "asking");
  const asked = await runfleet("run", "asking");
  expect(asked).toMatchObject({ code: 8, err: expect.stringContaining("? Sure?") });
  const run = /runfleet resume (run_\w+)/.exec(asked.err)?.[1] ?? "";
  expect((await runfleet("resume", run, "no json")).code).toBe(2);
  expect(await runfleet("resume", run, '"yes"')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"said": "yes"'),
  });
  expect((await runfleet("resume", run, '"yes"')).code).toBe(5);
});

const typeInto = (steps: [seen: string, typed: string][], args: string[]) =>
  startHere(typing(steps, [...commandLine, ...args])).ended;

test("on a terminal a run's questions are asked, field by field, and what doesn't fit is asked again; Ctrl-D leaves the run waiting", async () => {
  await runfleet("init", "form");
  writeFileSync(
    join(folder, "form/main.py"),
    "def main(input, context):\n" +
      "    fields = {'approved': {'type': 'boolean', 'title': 'Pay it back?'}, 'days': {'type': 'integer', 'maximum': 9}, 'note': {'type': 'string'}}\n" +
      "    first = context.interrupt('Refund?', response_schema={'type': 'object', 'required': ['approved', 'days'], 'properties': fields})\n" +
      "    return {'first': first, 'second': context.interrupt('Why?')}\n",
  );
  await runfleet("deploy", "form");
  const answers: [string, string][] = [
    ["Pay it back? (y, n):", "maybe\r"],
    ["'maybe' is not one of y, n", "y\r"],
    ["days (a number):", "10\r"],
    ["note (may be left out):", "\r"],
    // The service has refused the ten days.
    ["days:", "y\r"],
    ["days (a number):", "2\r"],
    ["note (may be left out):", "\r"],
    ["? Why?", "it broke\r"],
  ];
  const answered = await typeInto(answers, ["run", "form"]);
  expect(answered).toMatchObject({ code: 0, out: expect.stringContaining('"second": "it broke"') });
  expect(answered.out.replaceAll(/\s/g, "")).toContain('"first":{"approved":true,"days":2}');
  expect((await typeInto([["(y, n):", "\u0004"]], ["run", "form"])).code).toBe(8);
});

test("a run is waited for, is given files and variables, and is cancelled by Ctrl-C where that was asked for", async () => {
  await runfleet("init", "given");
  writeFileSync(
    join(folder, "given/main.py"),
    "import os, time\ndef main(input, context):\n    yield 'working'\n    time.sleep(input.get('s', 0))\n" +
      "    return {'says': os.environ.get('TONE'), 'read': open('note.txt').read()}\n",
  );
  writeFileSync(join(folder, "note.txt"), "forty-two");
  await runfleet("deploy", "given");
  const given = ["--attach", "note.txt", "--env", "TONE=kind"];
  const waited = await runfleet("run", "given", "--wait", ...given);
  expect(waited).toMatchObject({ code: 0, err: expect.stringMatching(/^✓ success/) });
  expect(JSON.parse(waited.out)).toMatchObject({ says: "kind", read: "forty-two" });
  const record = JSON.parse((await runfleet("run", "given", "--wait", "--json", ...given)).out) as { status: string };
  expect(record.status).toBe("success");
  const { child, said, ended } = start(["run", "given", "--cancel-on-exit", "-i", "s=60"]);
  await waitFor(() => said.out.includes("working"), 60_000);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 7, err: expect.stringContaining("cancelled") });
  // On a terminal the second Ctrl-C cancels.
  const twice: [string, string][] = [
    ["working", "\u0003"],
    ["Ctrl-C once more", "\u0003"],
  ];
  expect(await typeInto(twice, ["run", "given", "-i", "s=60"])).toMatchObject({
    code: 7,
    out: expect.stringContaining("cancelled"),
  });
});

test("deploy --dry-run shows what would change and publishes nothing; dev --no-run publishes and runs nothing", async () => {
  await runfleet("init", "dry");
  expect(await runfleet("deploy", "dry", "--dry-run")).toMatchObject({
    code: 0,
    out: expect.stringContaining("+ main.py"),
    err: expect.stringContaining("dry would be new"),
  });
  await runfleet("deploy", "dry");
  expect(await runfleet("deploy", "dry", "--dry-run")).toMatchObject({
    code: 0,
    out: "",
    err: expect.stringContaining("Nothing differs"),
  });
  const at = join(folder, "dry");
  writeFileSync(join(at, "main.py"), "def main():\n    return 1\n");
  writeFileSync(join(at, "more.py"), "");
  const { config, ...others } = JSON.parse(readFileSync(join(at, "runfleet.json"), "utf8")) as { config?: object };
  writeFileSync(
    join(at, "runfleet.json"),
    JSON.stringify({ ...others, config: { ...config, limits: { timeout_ms: 5_000 } } }),
  );
  expect((await runfleet("deploy", "dry", "--dry-run")).out).toBe("+ more.py\n~ main.py\n~ config.limits\n");
  const published = await runfleet("dev", "dry", "--once", "--no-run");
  expect(published.out).toMatch(/^dry@0\.0\.0-dev\.\w+\n$/);
  const { body } = await call(url, "GET", "/v1/agents/dry");
  expect(body["current_version"]).toBe("1.0.0");
  expect((await call(url, "GET", "/v1/runs?agent_id=dry")).body["data"]).toEqual([]);
});

test("logs are those of a level, of a time and the last ones", async () => {
  await runfleet("init", "wordy");
  writeFileSync(
    join(folder, "wordy/main.py"),
    "def main(input, context):\n    for n in range(150): context.log(f'line {n}', level='warn' if n == 7 else 'info')\n",
  );
  await runfleet("deploy", "wordy");
  await runfleet("run", "wordy", "--wait");
  expect((await runfleet("logs", "wordy", "-n", "2")).out).toBe("info  line 148\ninfo  line 149\n");
  expect((await runfleet("logs", "wordy", "--level", "warn")).out).toBe("warn  line 7\n");
  expect((await runfleet("logs", "wordy", "--since", "10m")).out.split("\n")).toHaveLength(151);
  expect((await runfleet("logs", "wordy", "--since", "2099-01-01")).out).toBe("");
  expect((await runfleet("logs", "wordy", "-n", "some")).code).toBe(2);
});

test("dev starts the service where none answers on this machine, and ends it with itself", async () => {
  const own = `http://127.0.0.1:${await freePort()}`;
  await runfleet("init", "alone");
  const env = { ...stack.env, DATABASE_URL: stack.databaseUrl, DATA_DIR: join(folder, "data"), WORKERS: "1" };
  const ran = await start(["dev", "alone", "--once", "-i", "name=Zoe"], { ...env, RUNFLEET_URL: own }).ended;
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("Hello, Zoe"), err: expect.stringContaining(own) });
  await waitFor(async () => (await fetch(`${own}/health/live`).catch(() => null)) === null, 30_000);
});

test("a langgraph.json is read as it is: each graph is an agent, and what isn't carried over is said", async () => {
  const at = (name: string) => join(folder, "graphs", name);
  mkdirSync(at("src/app"), { recursive: true });
  writeFileSync(at("src/app/one.py"), "from .shared import name\ndef graph(input):\n    return {'is': name(input)}\n");
  writeFileSync(at("src/app/shared.py"), "import os\ndef name(input):\n    return input['n'] + os.environ['MODE']\n");
  writeFileSync(at("two.py"), "import os\ndef make(input):\n    return os.environ['API_KEY']\n");
  writeFileSync(at(".env"), "# keys\nAPI_KEY=geheim\n");
  const described = { dependencies: ["."], graphs: { one: "./src/app/one.py:graph", two: { path: "two.py:make" } } };
  writeFileSync(at("langgraph.json"), JSON.stringify({ ...described, env: { MODE: "!" }, store: { ttl: {} } }));
  const deployed = await runfleet("deploy", "graphs");
  expect(deployed).toMatchObject({ code: 0, out: "one 1.0.0\ntwo 1.0.0\n" });
  expect(deployed.err).toContain("'store' isn't carried over");
  expect((await runfleet("run", "one", "-i", "n=a")).out).toContain('"is": "a!"');
  writeFileSync(at("langgraph.json"), JSON.stringify({ ...described, env: ".env" }));
  const secret = await runfleet("deploy", "graphs", "--agent", "two");
  expect(secret).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^two 1\.0\.0\+\w+ is the current version now\n$/),
  });
  expect(secret.err).toContain("runfleet secrets set API_KEY");
  const unset = await runfleet("run", "two");
  expect(unset.err).toContain("secret_not_set");
  expect(unset.err).toContain("runfleet secrets set API_KEY, with --agent two");
  const { body } = await call(url, "GET", "/v1/versions/two/latest");
  expect(JSON.stringify(body)).not.toContain("geheim");
});
