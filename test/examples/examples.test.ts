import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { Webhook } from "standardwebhooks";
import { call } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openFakeModel } from "./fake-model.ts";
import { openInstalledRegistry } from "../../bench/packages/installed-registry.ts";

// Each command is a process of its own, and packages are installed.
vi.setConfig({ testTimeout: 120_000 });

const root = join(import.meta.dirname, "../..");
const [model, registry, world] = await Promise.all([openFakeModel(), openInstalledRegistry(), openWorld()]);
const folder = mkdtempSync("/var/tmp/runfleet-examples-");
afterAll(async () => {
  await Promise.all([model.close(), registry.close(), world.close()]);
  rmSync(folder, { recursive: true });
});
const stack = await useTestStack();
const { url } = await stack.startService({
  worker: {
    NPM_CONFIG_REGISTRY: registry.url,
    EGRESS_ALLOW: [model.host, registry.host, world.host].join(","),
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
    ...pipSettings(),
  },
});

/** Where this machine's pip finds packages. */
function pipSettings(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name]) => /^(PIP_\w+|HOME)$/.test(name));
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? ""]));
}

/** News, a feed of prices, and a webhook. */
async function openWorld() {
  const posted: unknown[] = [];
  const server = createServer((req, res) => {
    if (req.url === "/news")
      res.end(
        JSON.stringify([
          { id: 1, title: "One" },
          { id: 2, title: "Two" },
        ]),
      );
    else if (req.url === "/feed") res.write('{"symbol": "ABC", "price": 12.5}\n');
    else req.on("data", (chunk: Buffer) => posted.push(JSON.parse(chunk.toString()))).on("end", () => res.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { host, posted, close };
}

type Ran = { code: number | null; out: string; err: string };

function runfleet(args: string[], stdin = ""): Promise<Ran> {
  const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: url },
  });
  child.stdin.end(stdin);
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...said })));
}

type Config = Record<string, unknown> & { secrets?: string[] };

/** Starts from an example, as its README says, with hosts of this machine for those of the world. */
async function deploy(name: string, changes: Config = {}): Promise<void> {
  expect(await runfleet(["init", name, "--template", name])).toMatchObject({ code: 0 });
  const path = join(folder, name, "runfleet.json");
  const { config = {}, ...rest } = JSON.parse(readFileSync(path, "utf8")) as { config?: Config };
  writeFileSync(path, JSON.stringify({ ...rest, config: { ...config, ...changes } }));
  expect(await runfleet(["deploy", name])).toMatchObject({ code: 0, out: expect.stringContaining(`${name} 1.0.0`) });
  for (const secret of config.secrets ?? []) {
    const value = secret === "WEBHOOK_URL" ? `http://${world.host}/hook` : "some-key";
    expect(await runfleet(["secrets", "set", secret, "--agent", name], value)).toMatchObject({ code: 0 });
  }
}

const withModel: Config = { network: { allow: [model.host] }, env: { OPENAI_BASE_URL: model.url } };
const withWorld: Config = { network: { allow: [world.host] } };

type Event = Record<string, unknown> & { type: string };

async function events(args: string[]): Promise<Event[]> {
  const { out } = await runfleet([...args, "--json"]);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
}
const run = (name: string, ...more: string[]) => events(["run", name, "-f", `${name}/input.json`, ...more]);
const textOf = (all: Event[]) =>
  all.flatMap(({ type, content }) => (type === "output.delta" ? [String(content)] : [])).join("");
const resultOf = (all: Event[]) => {
  const last = all.at(-1);
  return last?.type === "run.success" ? last["result_content"] : last;
};

test("each example is a template, with an input and a README that begins with its title", async () => {
  const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.length).toBeGreaterThanOrEqual(11);
  const { out } = await runfleet(["init", "--list"]);
  const about = readFileSync(join(root, "examples/README.md"), "utf8");
  for (const { name } of folders) {
    const files = readdirSync(join(root, "examples", name));
    expect(files).toEqual(expect.arrayContaining(["README.md", "input.json", "runfleet.json"]));
    expect(out).toMatch(new RegExp(`^${name} +\\S`, "m"));
    expect(about).toContain(`[${name}](${name}/`);
  }
});

test("an example's README and hooks name the agent of the folder that init writes", async () => {
  for (const [template, files] of [
    ["refund-approval", ["README.md", "hook.json"]],
    ["drip-sequence", ["README.md", "start-hook.json", "end-hook.json"]],
    ["ai-sdk", ["README.md"]],
  ] as const) {
    const own = `my-${template}-of-mine`;
    expect(await runfleet(["init", own, "--template", template])).toMatchObject({ code: 0 });
    for (const file of files)
      expect(readFileSync(join(folder, own, file), "utf8")).toMatch(new RegExp(`[ "]${own}[ "]`));
  }
  const about = readFileSync(join(folder, "my-ai-sdk-of-mine/README.md"), "utf8");
  expect(about).toContain("docs/ai-sdk.md");
  expect(readFileSync(join(folder, "my-ai-sdk-of-mine/package.json"), "utf8")).toContain('"@ai-sdk/');
});

test("hello-agent and refund-approval run, ask and go on", async () => {
  await deploy("hello-agent");
  expect(resultOf(await run("hello-agent"))).toMatchObject({ greeted: "Ada" });
  await deploy("refund-approval");
  const asked = await run("refund-approval");
  expect(asked.at(-1)).toMatchObject({
    type: "run.interrupted",
    interrupts: [{ message: expect.stringContaining("80 EUR") }],
  });
  const answered = await events(["resume", String(asked[0]?.["run_id"]), '{"approved": true, "amount": 60}']);
  expect(resultOf(answered)).toMatchObject({ order: "A-17", paid_back: 60 });
});

test("drip-sequence sleeps for days: hooks start a run and end its wait, and its test skips the time", async () => {
  await deploy("drip-sequence");
  const script = JSON.parse(readFileSync(join(root, "examples/drip-sequence/test.json"), "utf8")) as object;
  const tried = await runfleet(["test", "drip-sequence", "-f", "drip-sequence/test.json"]);
  expect(JSON.parse(tried.out)).toMatchObject({
    result: { sent: ["Welcome", "Three things to try"], ended_by: "ordered" },
    slept_ms: 3 * 86_400_000,
    steps: [{ name: "send", tries: 2 }, { name: "send" }],
  });
  const alone = await runfleet(["test", "drip-sequence", "-f", "-"], JSON.stringify({ ...script, signals: [] }));
  expect(JSON.parse(alone.out)).toMatchObject({ result: { ended_by: null }, slept_ms: 14 * 86_400_000 });

  const openHook = async (file: string) => {
    const document = JSON.parse(readFileSync(join(root, "examples/drip-sequence", file), "utf8")) as object;
    const { body } = await call(url, "POST", "/v1/hooks", document);
    return { path: new URL(String(body["url"]), url).pathname, secret: String(body["secret"]) };
  };
  const [begins, ends] = await Promise.all([openHook("start-hook.json"), openHook("end-hook.json")]);
  const deliver = async ({ path, secret }: typeof begins, type: string, data: object) => {
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
    const headers = {
      ...{ "content-type": "application/json", "webhook-id": `msg_${type}` },
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": new Webhook(secret).sign(`msg_${type}`, new Date(), body),
    };
    const answer = await fetch(url + path, { method: "POST", headers, body });
    expect(answer.status).toBe(202);
    return (await answer.json()) as { run_id: string };
  };
  const { run_id } = await deliver(begins, "customer.created", { email: "ada@example.org" });
  const suspended = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${run_id}`);
    return body["status"] === "suspended" && body;
  }, 30_000);
  expect(suspended).toMatchObject({ worker_id: null });
  await deliver(ends, "order.created", { id: "A-17", metadata: { run_id } });
  expect(resultOf(await events(["tail", run_id]))).toEqual({ sent: ["Welcome"], ended_by: "ordered" });
});

test("chat-memory streams a model's tokens, counts them, and remembers the thread's turns", async () => {
  await deploy("chat-memory", withModel);
  const first = await run("chat-memory", "--thread", "ada");
  expect(textOf(first)).toBe("You said: My name is Ada. What is a lease?");
  expect(first.filter(({ type }) => type === "output.delta").length).toBeGreaterThan(3);
  expect(first.filter(({ type }) => type === "usage").at(-1)).toMatchObject({ input_tokens: 11, output_tokens: 4 });
  await events(["run", "chat-memory", "-i", "message=And my name?", "--thread", "ada"]);
  expect(model.asked.at(-1)?.messages.map(({ content }) => content)).toEqual([
    expect.stringContaining("friendly"),
    "My name is Ada. What is a lease?",
    "You said: My name is Ada. What is a lease?",
    "And my name?",
  ]);
});

const usesTool = (all: Event[], name: string) =>
  expect(all).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "tool.start", name }),
      expect.objectContaining({ type: "tool.end", error: null }),
      expect.objectContaining({ type: "usage" }),
    ]),
  );

test("ai-sdk runs with the real package: its text, tools and usage are streamed", async () => {
  await deploy("ai-sdk", withModel);
  const all = await run("ai-sdk");
  usesTool(all, "weather");
  expect(textOf(all)).toBe("Done: It is sunny in Rome.");
});

test("openai-agents runs with the real package: its text, tools and usage are streamed", async () => {
  await deploy("openai-agents", withModel);
  const all = await run("openai-agents");
  usesTool(all, "weather");
  expect(textOf(all)).toContain("Done: It is sunny in Rome.");
});

/** A table is booked after a person's yes. */
async function booksTable(name: string): Promise<void> {
  const before = model.asked.length;
  const asked = await run(name);
  expect(asked.at(-1)).toMatchObject({
    type: "run.interrupted",
    interrupts: [{ message: expect.stringContaining("Book a table for 2 at Roma?") }],
  });
  const answered = await events(["resume", String(asked[0]?.["run_id"]), '"yes"']);
  usesTool([...asked, ...answered], "book_table");
  expect(textOf(answered)).toContain("Done: Booked: Roma, 2 people.");
  // The graph goes on at its question: the model is not asked again for what it has said.
  expect(model.asked.length - before).toBe(2);
}

test("langgraph-node runs with the real packages: tools, a question, tokens", async () => {
  await deploy("langgraph-node", withModel);
  await booksTable("langgraph-node");
});

/** Not every machine's pip has a way to an index with all of these packages. */
const requirements = join(root, "examples/langgraph-python/requirements.txt");
const pip = ["-m", "pip", "download", "-q", "--retries", "0", "--only-binary", ":all:", "-d", join(folder, "probe")];
const canInstall = spawnSync("python3", [...pip, "-r", requirements], { timeout: 60_000 }).status === 0;

test.runIf(canInstall)("langgraph-python runs with the real packages: tools, a question, tokens", async () => {
  await deploy("langgraph-python", withModel);
  await booksTable("langgraph-python");
});

test("langgraph-python can be published as it is", async () => {
  await runfleet(["init", "checked", "--template", "langgraph-python"]);
  expect(await runfleet(["check", "checked"])).toMatchObject({ code: 0, out: "" });
});

test("daily-digest posts what is new, once, and remembers it", async () => {
  await deploy("daily-digest", withWorld);
  const feed = ["-i", `feed=http://${world.host}/news`, "--thread", "digest"];
  expect(resultOf(await run("daily-digest", ...feed))).toMatchObject({ posted: 2 });
  expect(world.posted).toEqual([{ text: "• One\n• Two" }]);
  expect(resultOf(await run("daily-digest", ...feed))).toMatchObject({ posted: 0 });
  const added = await runfleet([
    "schedule",
    "add",
    "daily-digest",
    "0 7 * * *",
    "--thread",
    "digest",
    ...feed.slice(0, 2),
  ]);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining("is due next at") });
  // A run that is tried again after its post goes on with the news that it has read, whatever the feed has by then.
  const kept = { read: [{ result: [{ id: 3, title: "Three" }] }], post: [{ result: 7 }] };
  const script = { input: { feed: "http://127.0.0.1:9/gone" }, steps: kept };
  const tried = await runfleet(["test", "daily-digest", "-f", "-"], JSON.stringify(script));
  expect(JSON.parse(tried.out)).toMatchObject({ result: { posted: 1 } });
});

test("feed-watcher keeps its connection and answers from what it has heard", async () => {
  await deploy("feed-watcher", { ...withWorld, env: { FEED_URL: `http://${world.host}/feed` } });
  expect(await runfleet(["daemon", "start", "feed-watcher"])).toMatchObject({ code: 0 });
  const price = await waitFor(async () => {
    const { out } = await runfleet(["daemon", "send", "feed-watcher", "-f", "feed-watcher/input.json"]);
    const answer = resultOf(await events(["tail", out.trim()])) as { price: number | null };
    return answer.price;
  }, 60_000);
  expect(price).toBe(12.5);
  expect(await runfleet(["daemon", "stop", "feed-watcher"])).toMatchObject({ code: 0 });
});

test("remote-agent's answer is streamed from where it runs, and the agent answers nobody but the service", async () => {
  const { secret } = (await call(url, "POST", "/v1/users/me/callback-secret")).body as { secret: string };
  const env = { PORT: "0", RUNFLEET_CALLBACK_SECRET: secret };
  const server = spawn(process.execPath, [join(root, "examples/remote-agent/server.mjs")], { env });
  try {
    const port = await new Promise<string>((resolve) =>
      server.stdout.on("data", (chunk: Buffer) => resolve(/\d+/.exec(chunk.toString())?.[0] ?? "")),
    );
    await deploy("remote-agent", { adapter_type: "http", url: `http://127.0.0.1:${port}` });
    const all = await run("remote-agent");
    expect(textOf(all)).toBe("You said: Hello from afar");
    expect(resultOf(all)).toEqual({ length: 15 });

    const body = JSON.stringify({ input_payload: { text: "é" } });
    const post = async (signature: string, at: Date): Promise<number> => {
      const headers = { "webhook-id": "run_1.1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)) };
      const sent = { ...headers, "webhook-signature": signature };
      return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, headers: sent })).status;
    };
    const sign = (at: Date): string => new Webhook(secret).sign("run_1.1", at, body);
    const [now, before] = [new Date(), new Date(Date.now() - 3_600_000)];
    expect(await post(`v1,bm8= ${sign(now)}`, now)).toBe(200);
    expect([await post("v1,bm8=", now), await post(sign(before), now), await post(sign(before), before)]).toEqual([
      401, 401, 401,
    ]);
    expect((await fetch(`http://127.0.0.1:${port}`, { method: "POST", body })).status).toBe(401);
  } finally {
    server.kill();
  }
});
