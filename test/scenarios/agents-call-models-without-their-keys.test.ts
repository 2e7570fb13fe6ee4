import { createHash } from "node:crypto";
import { rolldown } from "rolldown";
import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { openModelProvider } from "../harness/model-provider.ts";
import { py } from "../harness/py.ts";
import { openTestStack, useTestStack } from "../harness/test-stack.ts";

const secret = "sk-real-fedcba9876543210";
const provider = await openModelProvider(secret);
afterAll(() => provider.close());
const stack = await useTestStack();
const { url, worker } = await stack.startMembers({
  worker: { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8", LOG_LEVEL: "trace" },
});
for (const [name, body] of Object.entries({
  openai: { preset: "openai", base_url: `${provider.url}/v1` },
  anthropic: { preset: "anthropic", base_url: `${provider.url}/v1` },
  google: { preset: "google", base_url: provider.url },
}))
  await call(url, "PUT", `/v1/connections/${name}?user_id=tester`, { ...body, secret });

const connections = ["openai", "anthropic", "google"];

async function run(agent_id: string, input_payload: object = {}, more: object = {}) {
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload, ...more }));
  return { events, end: events.at(-1) };
}

/** A client's own library and a program, as one file. */
async function bundle(program: string): Promise<string> {
  const built = await rolldown({
    input: "program.mjs",
    platform: "node",
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program.mjs" ? `${process.cwd()}/program.mjs` : null),
        load: (id) => (id.endsWith("/program.mjs") ? program : null),
      },
    ],
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false, minify: true });
  return output[0].code;
}

/** Unmodified libraries: each finds the address and a key where it always looks. */
const clients: Record<string, string> = {
  openai: `
    import OpenAI from "openai";
    const client = new OpenAI();
    export default async function main() {
      const body = { model: "gpt-5-mini", messages: [{ role: "user", content: "hello" }] };
      const whole = (await client.chat.completions.create(body)).choices[0].message.content;
      let streamed = "";
      for await (const part of await client.chat.completions.create({ ...body, stream: true })) {
        if (part.choices.length === 0) throw new Error("a chunk that nobody asked for");
        streamed += part.choices[0].delta.content ?? "";
      }
      const response = (await client.responses.create({ model: "gpt-5-mini", input: "hello" })).output_text;
      return [whole, streamed, response, client.apiKey];
    }`,
  anthropic: `
    import Anthropic from "@anthropic-ai/sdk";
    const client = new Anthropic();
    export default async function main() {
      const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };
      const whole = (await client.messages.create(body)).content[0].text;
      const streamed = await client.messages.stream(body).finalText();
      return [whole, streamed, client.apiKey];
    }`,
  ai: `
    import { generateText, streamText } from "ai";
    import { openai } from "@ai-sdk/openai";
    export default async function main() {
      const whole = (await generateText({ model: openai("gpt-5-mini"), prompt: "hello" })).text;
      const streamed = await streamText({ model: openai.chat("gpt-5-mini"), prompt: "hello" }).text;
      return [whole, streamed, process.env.OPENAI_API_KEY];
    }`,
};

test.each(Object.entries(clients))(
  "the unmodified library %s calls its service from a standard run, with a key that it never sees",
  async (_name, program) => {
    const config = { files: { "main.mjs": await bundle(program) }, entrypoint: "main.mjs", connections };
    const { body } = await call(url, "POST", "/v1/agents", { user_id: "tester", name: "a", config });
    provider.calls.length = 0;
    const { end } = await run(String(body["id"]), {}, { adapter_type: "node" });
    expect([end?.event, end?.data["error"] ?? null]).toEqual(["run.success", null]);
    const said = (end?.data["result_content"] as { output: string[] } | undefined)?.output ?? [];
    expect(said.slice(0, -1)).toEqual(said.slice(0, -1).map(() => "said hello"));
    expect(said.at(-1)).toBe("runfleet-gateway-adds-the-key");
    expect(provider.calls.map(({ key }) => key)).toEqual(said.slice(0, -1).map(() => secret));
  },
  60_000,
);

const byName = {
  python: py`
    import glob, json, os, shutil, subprocess, urllib.request
    def main(input):
        body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": "hello"}]})
        request = urllib.request.Request(input["url"], body.encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            said = [json.load(answer)["choices"][0]["message"]["content"]]
        if shutil.which("curl"):
            curl = ["curl", "-sS", input["url"], "-H", "content-type: application/json", "-d", body]
            answer = subprocess.run(curl, capture_output=True, text=True)
            said.append(json.loads(answer.stdout)["choices"][0]["message"]["content"] if answer.stdout else answer.stderr)
        trusted = glob.glob("/etc/runfleet/*.pem")
        held = any("PRIVATE KEY" in open(path).read() for path in trusted)
        return {"said": said, "trusted": len(trusted), "holds_key": held, "writable": any(os.access(path, os.W_OK) for path in trusted)}
  `,
  node: `
    import { request } from "node:https";
    import { text } from "node:stream/consumers";
    const body = JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: "hello" }] });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const contentOf = (answer) => answer.choices[0].message.content;
    export default async function main({ url }) {
      const fetched = contentOf(await (await fetch(url, init)).json());
      const answer = await new Promise((done, fail) => request(url, init, done).on("error", fail).end(body));
      return { said: [fetched, contentOf(JSON.parse(await text(answer)))] };
    }`,
};

test.each(Object.entries(byName))(
  "a plain client in %s that only knows its service's name calls it over TLS, with a key that it never sees",
  async (language, program) => {
    const isNode = language === "node";
    const config = { files: { [isNode ? "main.mjs" : "main.py"]: program }, connections };
    const { body } = await call(url, "POST", "/v1/agents", { user_id: "tester", name: "a", config });
    provider.calls.length = 0;
    // In clear from the gateway on: this service has no TLS.
    const input = { url: provider.url.replace("http:", "https:") + "/v1/chat/completions" };
    const { end } = await run(String(body["id"]), input, isNode ? { adapter_type: "node" } : {});
    expect([end?.event, end?.data["error"] ?? null]).toEqual(["run.success", null]);
    const { said = [], ...more } = (end?.data["result_content"] ?? {}) as { said?: string[] };
    expect(said.length).toBeGreaterThan(0);
    expect(said).toEqual(said.map(() => "said hello"));
    expect(more).toEqual(isNode ? {} : { trusted: 2, holds_key: false, writable: false });
    expect(provider.calls.map(({ key }) => key)).toEqual(said.map(() => secret));
    expect(end?.data["usage"]).toMatchObject({ metered: expect.anything() });
  },
  60_000,
);

/** Looks for the key wherever a process can look, and calls by plain Python. */
const snoop = py`
  import hashlib, json, os, urllib.request
  from urllib.error import HTTPError
  at_import = os.environ.get("OPENAI_BASE_URL")
  def ask(base, path, key_field, body):
      request = urllib.request.Request(
          os.environ[base] + path, json.dumps(body).encode(), {"content-type": "application/json", **key_field}
      )
      try:
          with urllib.request.urlopen(request, timeout=10) as answer:
              return answer.read().decode()
      except HTTPError as error:
          return error.read().decode()
  def holds(data, digest):
      # Compares digests, so that this process holds the key nowhere itself.
      parts = data.split(b"sk-real-")[1:]
      return any(hashlib.sha256(part[:16]).hexdigest() == digest for part in parts)
  def places(digest):
      found = []
      for folder, _, names in os.walk("/proc"):
          if folder.count("/") > 4: continue
          for name in names:
              if name not in ("environ", "cmdline", "mountinfo", "unix", "tcp", "comm"): continue
              try:
                  if holds(open(os.path.join(folder, name), "rb").read(), digest): found.append(folder + "/" + name)
              except OSError: pass
      for line in open("/proc/self/maps"):
          span, rights = line.split()[:2]
          low, high = (int(part, 16) for part in span.split("-"))
          if "r" not in rights or high - low > 1 << 28: continue
          try:
              with open("/proc/self/mem", "rb", 0) as memory:
                  memory.seek(low)
                  if holds(memory.read(high - low), digest): found.append(span)
          except (OSError, ValueError, OverflowError): pass
      for folder, _, names in os.walk("."):
          for name in names:
              if holds(open(os.path.join(folder, name), "rb").read(), digest): found.append(name)
      return found
  def main(input):
      key = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
      hello = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "hello"}]}
      answers = [
          ask("OPENAI_BASE_URL", "/chat/completions", key, hello),
          ask("OPENAI_BASE_URL", "/chat/completions", {}, {**hello, "stream": True}),
          ask("ANTHROPIC_BASE_URL", "/v1/messages", {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}, hello),
          ask("GOOGLE_GEMINI_BASE_URL", "/v1beta/models/gemini-2.5-flash:generateContent", {}, {"contents": "hello"}),
          ask("OPENAI_BASE_URL", "/echo", key, hello),
      ]
      print(answers[-1])
      yield answers[-1]
      same = at_import == os.environ["OPENAI_BASE_URL"]
      return {"answers": answers, "at_import": same, "found": places(input["digest"])}
`;

test("plain Python calls all of them; the key is nowhere in the sandbox, and an echo of it nowhere in the run", async () => {
  const agent_id = await makeAgent(url, snoop, { connections });
  const digest = createHash("sha256").update(secret.slice("sk-real-".length)).digest("hex");
  for (let turn = 0; turn < 2; turn += 1) {
    const { events, end } = await run(agent_id, { digest });
    const { answers, ...rest } = (end?.data["result_content"] ?? { answers: [] }) as { answers: string[] };
    expect(rest).toEqual({ at_import: true, found: [] });
    for (const answer of answers.slice(0, 4)) expect(answer).toContain("hello");
    expect(answers[4]).toContain("[redacted]");
    const run_id = String(events[0]?.data["run_id"]);
    const pages = await Promise.all(
      ["", "/events", "/logs", "/timeline"].map((path) => call(url, "GET", `/v1/runs/${run_id}${path}`)),
    );
    const said = JSON.stringify([events, pages.map(({ body }) => body), worker.logged()]);
    expect(said.includes(secret)).toBe(false);
  }
});

test("an agent's own connection is used rather than its owner's, a missing one is named, and nobody else's is found", async () => {
  const config = { connections: ["openai"] };
  const source = py`
    import os, urllib.request
    def main(i): return urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/models", timeout=5).read().decode()
  `;
  const agent_id = await makeAgent(url, source, config);
  await call(url, "PUT", `/v1/connections/openai?agent_id=${agent_id}`, {
    preset: "openai",
    base_url: `${provider.url}/own`,
    secret,
  });
  provider.calls.length = 0;
  await run(agent_id);
  expect(provider.calls.map(({ path }) => path)).toEqual(["/own/models"]);
  const missing = await makeAgent(url, source, { connections: ["openai", "nothing"] });
  expect((await run(missing)).end?.data).toMatchObject({ error: { code: "connection_not_set" } });
  const stranger = await call(url, "POST", "/v1/agents", {
    user_id: "stranger",
    name: "s",
    config: { source, ...config },
  });
  expect((await run(String(stranger.body["id"]))).end?.data).toMatchObject({ error: { code: "connection_not_set" } });
});

test("where the sandbox has no network namespace, such an agent isn't run, and is told why", async () => {
  const weak = await openTestStack();
  const api = (await weak.openApi()).url;
  await weak.openWorker({ SANDBOX_MIN_LEVEL: "0", BWRAP: "/nonexistent" });
  const agent_id = await makeAgent(api, "def main(i): return 1", { connections: ["openai"] });
  const events = await readEvents(await execute(api, { agent_id, version: "current" }));
  expect(events.at(-1)?.data).toMatchObject({
    error: { code: "connections_unavailable", message: expect.stringContaining("level") },
  });
  await weak.close();
}, 90_000);
