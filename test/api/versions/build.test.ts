import { chmodSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type BuildEvent, Runfleet } from "../../../sdk/ts/index.ts";
import { call } from "../../harness/client.ts";
import { daemonThat, readLog } from "../../harness/daemon-client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { timeLimit } from "../../harness/time-limit.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { openNpmRegistry } from "../../worker/builds/npm-registry.ts";
import { openWheelIndex } from "../../../bench/packages/wheel-index.ts";

const registry = await openNpmRegistry({
  "left@1.0.0": { files: { "index.js": "exports.left = (text) => '<' + text;" } },
  "both@2.0.0": {
    files: { "index.js": "const { left } = require('left'); exports.both = (text) => left(text) + '>';" },
    dependencies: { left: "^1.0.0" },
    scripts: { install: "touch /tmp/ran && exit 1", postinstall: "exit 1" },
  },
  "lying@1.0.0": { files: { "index.js": "" } },
  "native@1.0.0": {
    files: { "index.js": "module.exports = require('./build/fast.node');", "build/fast.node": "\u007fELF" },
  },
  "bomb@1.0.0": { files: { "index.js": "", "zeros.txt": "0".repeat(16 * 1024 * 1024) } },
  "optional@1.0.0": {
    files: {
      "index.js": "let fast; try { fast = require('not-installed-' + 'at-all'); } catch {} exports.ok = !fast;",
    },
  },
});
const wheels = await openWheelIndex({
  greeter: { "greeter/__init__.py": "name = 'one'" },
  lying: { "lying/__init__.py": "" },
});
afterAll(() => Promise.all([registry.close(), wheels.close(), rm(environments, { recursive: true, force: true })]));
const stack = await useTestStack();
const environments = mkdtempSync("/var/tmp/runfleet-build-");
chmodSync(environments, 0o755);
const ofWorker = {
  NPM_CONFIG_REGISTRY: registry.url,
  PIP_CONFIG_FILE: "/dev/null",
  PIP_INDEX_URL: wheels.url,
  ENVIRONMENTS_DIR: join(environments, "one"),
  INSTALL_TIMEOUT_MS: String(timeLimit(10_000)),
  ENVIRONMENT_MAX_BYTES: String(64 * 1024 * 1024),
  EGRESS_ALLOW: `${new URL(registry.url).host},${wheels.host}`,
  EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
};
const { url, worker } = await stack.startMembers({ worker: ofWorker });
let stopWorker = () => worker.stop();

const wait = { prefer: "wait=25" };
const publish = (id: string, config: Record<string, unknown>) =>
  call(url, "POST", "/v1/agents", {
    id,
    user_id: "a",
    name: id,
    make_current: true,
    config: { adapter_type: "node", ...config },
  });
const run = async (agent_id: string, options: Record<string, unknown> = {}) =>
  (await call(url, "POST", "/v1/execute", { agent_id, version: "current", ...options }, wait)).body;
const built = async (id: string, version = "1.0.0") => {
  const ended = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/versions/${id}/${version}/build`);
    return body["state"] === "building" ? null : body;
  }, 60_000);
  return ended;
};

async function readStream(id: string, query = "") {
  const text = await (await fetch(`${url}/v1/versions/${id}/1.0.0/build/stream${query}`)).text();
  const events = [...text.matchAll(/event: (.+)\ndata: (.+)\n/g)].map(([, event = "", data = ""]) => ({
    event,
    data: JSON.parse(data) as { text?: string },
  }));
  return { events, text: events.map(({ data }) => data.text ?? "").join("") };
}

test("a build's log is streamed while it grows, to its end", async () => {
  const letGo = wheels.hold();
  await publish("watched", { adapter_type: "python", source: "def main(input): return 1", requirements: ["greeter"] });
  const response = await fetch(`${url}/v1/versions/watched/1.0.0/build/stream`);
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    // The package comes when the log that was sent so far names it.
    if (text.includes("greeter")) letGo();
    else expect(text).not.toContain("build.ended");
  }
  expect(text.indexOf("greeter")).toBeLessThan(text.indexOf("Successfully installed greeter"));
  expect(text.trimEnd().split("\n\n").at(-1)).toContain("event: build.ended");
  // The client reads it again, to its end.
  const read: BuildEvent[] = [];
  for await (const event of new Runfleet({ url }).versions.streamBuild("watched", "1.0.0")) read.push(event);
  expect(read.map((event) => ("text" in event ? event.text : "")).join("")).toContain("Successfully installed greeter");
  expect(read.filter((event) => "state" in event)).toEqual([{ state: "ready", error: null }]);
});

test("TypeScript as people write it: extensionless and directory imports, paths, tsx, enums, decorators, JSON, CommonJS", async () => {
  const files = {
    "tsconfig.json":
      '{"compilerOptions":{"emitDecoratorMetadata":true,"paths":{"@lib/*":["./src/lib/*"]},"jsx":"react","jsxFactory":"h"}}',
    "src/index.ts": `
      import { double } from "./util/helper";
      import { Colour } from "./shapes";
      import { greet } from "@lib/greet";
      import data from "./data.json";
      import { view } from "./view";
      const legacy = require("./legacy.cjs");
      function logged(target: unknown, context: ClassMethodDecoratorContext) { return target as never; }
      class Agent { @logged run(n: number): number { return double(n); } }
      export async function* main(input: { n: number }) {
        yield greet("you");
        return { n: new Agent().run(input.n), colour: Colour.Red, data: data.x, view: view(), legacy: legacy.answer };
      }`,
    "src/util/helper.ts": "export const double = (n: number): number => n * 2;",
    "src/shapes/index.ts": 'export enum Colour { Red = "red" }',
    "src/lib/greet.ts":
      'import { readFileSync } from "node:fs";\nexport const greet = (who: string) => readFileSync(new URL("./hello.txt", import.meta.url), "utf8") + who;',
    "src/lib/hello.txt": "Hello, ",
    "src/data.json": '{"x": 1}',
    "src/view.tsx": "const h = (tag: string) => tag;\nexport const view = () => <b>1</b>;",
    "src/legacy.cjs":
      "const path = require('node:path');\nconst answer = path.basename(__dirname);\nmodule.exports = { answer, __dirname };",
  };
  const published = await publish("everyday", { entrypoint: "./src/index.ts:main", files });
  expect(published.status).toBe(201);
  const ended = await run("everyday", { input_payload: { n: 21 } });
  expect(ended).toMatchObject({
    status: "success",
    result_content: { n: 42, colour: "red", data: 1, view: "b", legacy: "src" },
  });
  expect(await built("everyday")).toMatchObject({
    state: "ready",
    log: expect.stringContaining("emitDecoratorMetadata has no effect"),
    files: [{ name: "src/index.bundle.mjs" }, {}],
  });
  expect((await call(url, "GET", "/v1/versions/everyday/1.0.0")).body["state"]).toBe("ready");
});

test("an error's trace names the author's lines", async () => {
  const files = {
    "main.ts": 'import { fail } from "./lib/fail";\n\nexport function main(): never {\n  return fail("no");\n}\n',
    "lib/fail.ts": "type A = string;\nexport function fail(why: A): never {\n  throw new RangeError(why);\n}\n",
  };
  await publish("failing", { files });
  const { error } = await run("failing");
  expect(error).toMatchObject({ type: "RangeError", message: "no" });
  const trace = String((error as { traceback: string }).traceback);
  expect(trace).toMatch(/lib\/fail\.ts:3:9/);
  expect(trace).toMatch(/main\.ts:4:10/);
  expect(trace).not.toContain("bundle");
});

test("a run of a version that is being built waits; of one whose build failed it ends with the build's error", async () => {
  await publish("broken", { files: { "main.ts": 'import { x } from "./nowhere";\nexport const main = () => x;' } });
  const ended = await run("broken");
  expect(ended).toMatchObject({ status: "error", error: { code: "build_failed" } });
  const message = String((ended["error"] as { message: string }).message);
  expect(message).toMatch(/Could not resolve "\.\/nowhere"/);
  expect(message).toMatch(/main\.ts:1:18/);
  expect(await built("broken")).toMatchObject({ state: "failed", error: message });
});

const withPackages = (dependencies: Record<string, string>, source: string) => ({
  "package.json": JSON.stringify({ type: "module", dependencies }),
  "main.js": source,
});

test("packages of package.json are installed without scripts and locked: a version runs the same ones for ever", async () => {
  const files = withPackages(
    { both: "^2.0.0", optional: "*" },
    'import { both } from "both";\nimport { ok } from "optional";\nexport const main = (i) => ({ text: both(i.text), ok });\n',
  );
  await publish("packed", { files });
  expect(await run("packed", { input_payload: { text: "a" } })).toMatchObject({
    status: "success",
    result_content: { text: "<a>", ok: true },
  });
  const build = await built("packed");
  expect(String(build["log"])).toMatch(/added 3 packages/);
  const lock = String(build["lock"]);
  expect(JSON.parse(lock)).toMatchObject({ packages: { "node_modules/left": { version: "1.0.0" } } });
  const streamed = await readStream("packed");
  expect(streamed.text).toBe(build["log"]);
  expect(streamed.events.at(-1)).toMatchObject({ event: "build.ended", data: { state: "ready", error: null } });
  expect((await readStream("packed", "?after=1-6")).text).toBe(String(build["log"]).slice(6));
  expect((await fetch(`${url}/v1/versions/packed/1.0.0/build/stream?after=x`)).status).toBe(400);
  // Later versions reach a version that is published later, or one whose author locked them.
  registry.add({ "left@1.1.0": { files: { "index.js": "exports.left = (text) => '[' + text;" } } });
  expect((await run("packed", { input_payload: { text: "b" } }))["result_content"]).toEqual({ text: "<b>", ok: true });
  await publish("unlocked", { files });
  expect((await run("unlocked", { input_payload: { text: "c" } }))["result_content"]).toEqual({
    text: "[c>",
    ok: true,
  });
  await publish("locked", { files: { ...files, "package-lock.json": lock } });
  expect((await run("locked", { input_payload: { text: "d" } }))["result_content"]).toEqual({ text: "<d>", ok: true });
});

test.each<[string, Record<string, string>, RegExp]>([
  ["a package that isn't there", withPackages({ "no-such": "1" }, "import 'no-such'"), /no-such/],
  ["a registry that lies", withPackages({ lying: "1" }, "import 'lying'"), /integrity/i],
  ["a registry that never answers", withPackages({ slow: "1" }, "import 'slow'"), /did not end within [\d.]+ s/],
  ["a host that isn't the registry", withPackages({ far: "http://192.0.2.1/x.tgz" }, "import 'far'"), /npm could not/],
  ["a package that isn't named", withPackages({ left: "1" }, "import 'both'"), /Name it in the "dependencies"/],
  ["a native addon", withPackages({ native: "1" }, "import 'native'"), /'native' has a native addon \(fast\.node\)/],
  [
    "a package that unpacks to too much",
    withPackages({ bomb: "1" }, "import 'bomb'"),
    /decompression ratio exceeded|ENOSPC|over its limit/,
  ],
  ["no JSON", { "package.json": "{", "main.js": "" }, /package\.json is no JSON/],
])(
  "a build fails with what is wrong, and leaves nothing behind: %s",
  { timeout: 60_000 },
  async (name, files, message) => {
    const id = `wrong-${name.replaceAll(/\W/g, "-")}`;
    await publish(id, { files });
    const build = await built(id);
    expect(build).toMatchObject({ state: "failed", error: expect.stringMatching(message), files: [] });
    expect(await run(id)).toMatchObject({ status: "error", error: { code: "build_failed" } });
  },
);

test("ten thousand files are built or refused, and delay nobody's run", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [`m/f${at}.ts`, `export const a${at} = ${at};`]),
  );
  const main = Object.keys(many).map((name, at) => `import { a${at} } from "./${name.replace(".ts", "")}";`);
  const source = `${main.join("\n")}\nexport const main = () => a0 + a9999;`;
  await publish("many", { files: { ...many, "main.ts": source } });
  await publish("one", { files: { "main.js": "export const main = () => 1;" } });
  expect(await run("one")).toMatchObject({ status: "success" });
  expect(await run("many")).toMatchObject({ status: "success", result_content: { output: 9_999 } });
});

test("a Python agent's packages are installed when it is published, and a version runs the same ones on every worker", async () => {
  const source = "import greeter\ndef main(input): return {'name': greeter.name}";
  const config = { adapter_type: "python", source, requirements: ["greeter"] };
  await publish("with-wheels", config);
  const build = await built("with-wheels");
  expect(build).toMatchObject({ state: "ready", error: null, files: [] });
  expect(String(build["log"])).toContain("Successfully installed greeter-1.2.0");
  expect(String(build["lock"])).toMatch(/\ngreeter==1\.2\.0 --hash=sha256:[0-9a-f]{64}\n$/);
  const first = await run("with-wheels");
  expect(first["result_content"]).toEqual({ name: "one" });
  const staying =
    "import greeter, os\nkey = os.environ['KEY']\ndef on_message(): return {'name': greeter.name, 'key': key}";
  await publish("stays", { ...config, source: staying, secrets: ["KEY"] });
  await built("stays");
  wheels.add({ "greeter@1.3.0": { "greeter/__init__.py": "name = 'two'" } });
  // A worker of another machine, which has installed nothing yet.
  const other = await stack.openWorker({ ...ofWorker, ENVIRONMENTS_DIR: join(environments, "other") });
  await stopWorker();
  stopWorker = () => other.close();
  // A daemon has them too, and its secrets: installed where it starts.
  await call(url, "POST", "/v1/daemons", { agent_id: "stays" });
  const crashed = await daemonThat(url, "stays", ({ last_exit }) => last_exit !== null);
  expect(crashed.last_exit?.reason).toContain("PUT /v1/agents/stays/secrets/KEY");
  await call(url, "PUT", "/v1/agents/stays/secrets/KEY", { value: "of-the-agent" });
  const daemon = await run("stays", { lifecycle: "daemon" });
  expect(daemon["result_content"]).toEqual({ name: "one", key: "[redacted]" });
  expect((await readLog(url, "stays")).join("\n")).toContain("daemon: Successfully installed greeter-1.2.0");
  expect((await run("with-wheels"))["result_content"]).toEqual({ name: "one" });
  const talk = await run("with-wheels", { lifecycle: "interactive", thread_id: "talk" });
  expect(talk["result_content"]).toEqual({ name: "one" });
  await publish("with-newer", config);
  expect((await run("with-newer"))["result_content"]).toEqual({ name: "two" });
});

test("a daemon that is replaced goes on until its next version is built, and is then replaced, not rolled back", async () => {
  const source = "import os\ndef on_message(): return {'version': os.environ['AGENT_VERSION']}";
  const config = { adapter_type: "python", source };
  await publish("replaced", config);
  expect((await run("replaced", { lifecycle: "daemon" }))["result_content"]).toEqual({ version: "1.0.0" });
  const old = await daemonThat(url, "replaced", ({ status }) => status === "running");
  const beats = async () =>
    (
      await stack.sql.query("SELECT lease_until FROM daemons WHERE agent_id = 'replaced'")
    ).rows[0].lease_until.getTime();
  const nextBeat = async () => {
    const before = await beats();
    await waitFor(async () => (await beats()) > before);
  };
  const letGo = wheels.hold();
  const next = { source: `import greeter\n${source}`, requirements: ["greeter"] };
  const body = { id: "replaced", user_id: "a", name: "replaced", version: "2.0.0", make_current: true };
  await call(url, "POST", "/v1/agents", { ...body, config: { ...config, ...next } });
  await nextBeat();
  await nextBeat();
  const meanwhile = await daemonThat(url, "replaced", () => true);
  expect(meanwhile).toMatchObject({ version: "2.0.0", previous_version: "1.0.0", pid: old.pid, last_exit: null });
  letGo();
  expect(await built("replaced", "2.0.0")).toMatchObject({ state: "ready" });
  const now = await daemonThat(url, "replaced", ({ status }) => status === "running");
  expect((await run("replaced", { lifecycle: "daemon" }))["result_content"]).toEqual({ version: "2.0.0" });
  expect(now).toMatchObject({ version: "2.0.0", last_exit: { reason: "stopped" } });
  expect((await call(url, "GET", "/v1/agents/replaced")).body["current_version"]).toBe("2.0.0");
});

test.each<[string, string, RegExp]>([
  ["isn't there", "no-such-wheel", /No matching distribution found for no-such-wheel[^]*no source archives/],
  ["isn't what its index says", "lying", /DO NOT MATCH THE HASHES/],
  ["never comes", "slow-wheel", /did not end within [\d.]+ s/],
])("a Python package that %s fails the build, and no run of the version begins", async (name, requirement, message) => {
  const id = `py-${name.replaceAll(/\W/g, "-")}`;
  await publish(id, { adapter_type: "python", source: "def main(input): return 1", requirements: [requirement] });
  expect(await built(id)).toMatchObject({ state: "failed", lock: null, error: expect.stringMatching(message) });
  expect(await run(id)).toMatchObject({ status: "error", error: { code: "build_failed" } });
});

test("workers that leave give their builds back: others begin them at once, and they count no failure", async () => {
  const letGo = wheels.hold();
  await publish("moved", { adapter_type: "python", source: "def main(input): return 1", requirements: ["greeter"] });
  for (const attempts of [1, 2, 3, 4]) {
    await waitFor(async () => {
      const { rows } = await stack.sql.query("SELECT attempts FROM builds WHERE agent_id = 'moved'");
      return rows[0].attempts === attempts;
    });
    const other = await stack.openWorker(ofWorker);
    await stopWorker();
    stopWorker = () => other.close();
  }
  letGo();
  expect(await built("moved")).toMatchObject({ state: "ready", error: null });
  expect(await run("moved")).toMatchObject({ status: "success" });
});

test("a worker's own fault fails no version: another worker builds it, and what no worker can build fails with the reason", async () => {
  const broken = { ...ofWorker, ENVIRONMENTS_DIR: "/dev/null" };
  const config = { adapter_type: "python", source: "def main(input): return 1", requirements: ["greeter"] };
  const lapse = "UPDATE builds SET lease_until = now() WHERE agent_id = $1 AND lease_until > now() AND log <> ''";
  const leftBy = async (id: string, attempts: number) => {
    const wanted = "SELECT 1 FROM builds WHERE agent_id = $1 AND attempts >= $2 AND log LIKE '%ENVIRONMENTS_DIR%'";
    await waitFor(async () => (await stack.sql.query(wanted, [id, attempts])).rowCount === 1, 20_000);
  };
  let other = await stack.openWorker(broken);
  await stopWorker();
  await publish("elsewhere", config);
  await leftBy("elsewhere", 1);
  stopWorker = () => other.close();
  const good = await stack.openWorker(ofWorker);
  await stopWorker();
  stopWorker = () => good.close();
  await stack.sql.query(lapse, ["elsewhere"]);
  expect(await built("elsewhere")).toMatchObject({ state: "ready", error: null });

  other = await stack.openWorker(broken);
  await stopWorker();
  stopWorker = () => other.close();
  await publish("nowhere", config);
  for (const attempts of [1, 2, 3]) {
    await leftBy("nowhere", attempts);
    await stack.sql.query(lapse, ["nowhere"]);
  }
  expect(await built("nowhere")).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/^The build was left by its workers 3 times\. Its log ends with: .*ENVIRONMENTS_DIR/),
  });
});

test("a run whose worker can't have its packages goes back uncharged, 20 times in a row at most, to one that can; a daemon waits", async () => {
  const good = await stack.openWorker(ofWorker);
  await stopWorker();
  stopWorker = () => good.close();
  const source = "def main(input): return 1";
  await publish("roomy", { adapter_type: "python", source, requirements: ["greeter"] });
  expect(await built("roomy")).toMatchObject({ state: "ready" });
  await stopWorker();
  const broken = await stack.openWorker({ ...ofWorker, ENVIRONMENTS_DIR: "/dev/null" });
  stopWorker = () => broken.close();

  const accept = async () => {
    const asked = { agent_id: "roomy", version: "current" };
    return String((await call(url, "POST", "/v1/execute", asked, { prefer: "respond-async" })).body["id"]);
  };
  const [goesOn, endsHere] = [await accept(), await accept()];
  const wentBack = "SELECT 1 FROM run_transitions WHERE run_id = $1 AND reason = 'no_packages'";
  for (const id of [goesOn, endsHere])
    await waitFor(async () => (await stack.sql.query(wentBack, [id])).rowCount, 20_000);
  const left = (id: string, reason: string, times: number) =>
    stack.sql.query(
      `INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
       SELECT $1, 1, 'running', 'queued', 'worker', $2 FROM generate_series(1, $3::int)`,
      [id, reason, times],
    );
  await left(endsHere, "no_packages", 20);
  // What it was given back for before it last ran is forgotten.
  await left(goesOn, "no_packages", 20);
  await left(goesOn, "drained", 1);
  const ended = (id: string) =>
    waitFor(async () => {
      const { body } = await call(url, "GET", `/v1/runs/${id}`);
      return body["completed_at"] === null ? null : body;
    }, 40_000);
  expect(await ended(endsHere)).toMatchObject({
    error: { code: "dependency_install_failed", message: expect.stringContaining("ENVIRONMENTS_DIR") },
  });

  await call(url, "POST", "/v1/daemons", { agent_id: "roomy" });
  const waiting = await daemonThat(url, "roomy", ({ last_exit }) => last_exit !== null);
  expect(waiting.last_exit?.reason).toContain("ENVIRONMENTS_DIR");
  const { rows } = await stack.sql.query("SELECT status, crashes FROM daemons WHERE agent_id = 'roomy'");
  expect(rows).toEqual([{ status: "backoff", crashes: 0 }]);

  const other = await stack.openWorker(ofWorker);
  expect(await ended(goesOn)).toMatchObject({ status: "success", result_content: { output: 1 } });
  const lost = await stack.sql.query("SELECT lost_attempts FROM runs WHERE id = $1", [goesOn]);
  expect(lost.rows).toEqual([{ lost_attempts: 0 }]);
  await other.close();
}, 180_000);
