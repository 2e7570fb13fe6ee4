import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { readEnv } from "../shared/platform/config/env.ts";
import { medianBareStart } from "./bare-start.ts";
import { quantile } from "./quantile.ts";
import { warmUp } from "./warm-up.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const calls = 300;
const replayed = 100;
const streams = 64;

/** Asks one connection again and again, or holds streams open. `times`: what each call took, in ms. */
const source = `import http.client, json, os, signal, threading, time
from urllib.parse import urlsplit

def ask(connection, path, text, stream=False):
    body = {"model": "gpt-5-mini", "stream": stream, "messages": [{"role": "user", "content": text}]}
    connection.request("POST", path, json.dumps(body).encode(), {"content-type": "application/json"})
    return connection.getresponse().read()

def times(base, count):
    where, spent = urlsplit(base), []
    connection = http.client.HTTPConnection(where.netloc)
    for n in range(count):
        at = time.perf_counter()
        ask(connection, where.path + "/chat/completions", f"call {n}")
        spent.append((time.perf_counter() - at) * 1000)
    return spent

def streams(base, count):
    where = urlsplit(base)
    def hold(n):
        ask(http.client.HTTPConnection(where.netloc), where.path + "/chat/completions", f"stream {n}", True)
    threads = [threading.Thread(target=hold, args=(n,)) for n in range(count)]
    at = time.perf_counter()
    for one in threads: one.start()
    for one in threads: one.join()
    return (time.perf_counter() - at) * 1000

def main(input, context):
    base = os.environ[input["base"]]
    if input.get("streams"): return {"ms": streams(base, input["streams"])}
    spent = times(base, input["calls"])
    if input.get("dies") and context.attempt == 1: os.kill(os.getpid(), signal.SIGKILL)
    return {"times": spent}
`;

/**
 * Measures what the gateway adds to a call, beside the same call without a sandbox: passed on (a connection without a preset) and recorded
 * (a model's), a replay of recorded calls, and open streams.
 */
export async function benchGateway(signal: AbortSignal): Promise<string> {
  const provider = await openProvider();
  const reach = { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  try {
    return await withStack(signal, { WORKERS: "1", ...reach }, (stack) => measure(stack, provider, signal));
  } finally {
    provider.close();
  }
}

async function measure({ client, url }: BenchStack, provider: Provider, signal: AbortSignal): Promise<string> {
  await warmUp(client, signal);
  const bareMs = await medianBareStart();
  const base_url = `http://127.0.0.1:${provider.port}/v1`;
  const put = (name: string, preset: object) =>
    fetch(`${url}/v1/connections/${name}?user_id=bench`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ base_url, secret: "sk-of-the-provider", ...preset }),
    });
  for (const answer of [await put("openai", { preset: "openai" }), await put("plain", { kind: "bearer" })])
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const retry = { max_attempts: 2, delay_ms: 0 };
  await client.publish("calls", {
    adapter_type: "python",
    source,
    connections: ["openai", "plain"],
    retry,
    limits: { pids: 256 },
  });
  const run = async <T>(input_payload: object): Promise<T> => {
    const { runId } = await client.run("calls", { input_payload });
    const answer = await fetch(`${url}/v1/runs/${runId}`);
    return ((await answer.json()) as { result_content: T }).result_content;
  };
  await run({ base: "OPENAI_BASE_URL", calls: 20 });
  const rows = [];
  const direct = quantile(await timesDirectly(base_url), 0.5);
  for (const [name, base] of [
    ["passed on", "PLAIN_BASE_URL"],
    ["recorded", "OPENAI_BASE_URL"],
  ] as const) {
    const { times } = await run<{ times: number[] }>({ base, calls });
    const added = quantile(times, 0.5) - direct;
    rows.push(
      `| ${name} | ${quantile(times, 0.5).toFixed(2)} | ${added.toFixed(2)} | ${(added / bareMs).toFixed(2)} |`,
    );
  }
  const before = provider.answered();
  const again = await run<{ times: number[] }>({ base: "OPENAI_BASE_URL", calls: replayed, dies: true });
  const asked = provider.answered() - before;
  const replayMs = again.times.reduce((sum, ms) => sum + ms, 0);
  const kib = await kibOfStream(provider, () => run<{ ms: number }>({ base: "OPENAI_BASE_URL", streams }));
  return [
    `a bare start of Python takes ${bareMs.toFixed(1)} ms, a call without the gateway ${direct.toFixed(2)} ms`,
    "",
    "| a call | p50, ms | more than without, ms | in bare starts |",
    "|---|---|---|---|",
    ...rows,
    "",
    `${replayed} recorded calls are replayed in ${replayMs.toFixed(0)} ms; the provider was asked ${asked} times`,
    `${streams} open streams take ${kib.toFixed(0)} KiB each of the gateway's memory`,
  ].join("\n");
}

/** The same calls by a process without a sandbox. */
async function timesDirectly(base: string): Promise<number[]> {
  const program = `${source}\nprint(json.dumps(times(${JSON.stringify(base)}, ${calls})))`;
  const child = spawn(readEnv()["PYTHON"] ?? "/usr/bin/python3", ["-c", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout)) as number[];
}

/** Returns how much more memory the gateway has while streams are open. */
async function kibOfStream(provider: Provider, open: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(provider.port);
  const done = open();
  while (provider.open.size < streams) await sleep(50);
  await sleep(500);
  const during = memoryOf(provider.port);
  provider.release();
  await done;
  return (during - before) / streams;
}

/** Returns the memory of the gateway that leads to a port, in KiB. */
function memoryOf(port: number): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes("gateway/main.js") || !command.includes(`127.0.0.1:${port}`)) continue;
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error("The gateway isn't there.");
}

type Provider = {
  port: number;
  /** Streams that wait for `release`. */
  open: Set<ServerResponse>;
  release(): void;
  /** Returns how many calls it has answered. */
  answered(): number;
  close(): void;
};

async function openProvider(): Promise<Provider> {
  const open = new Set<ServerResponse>();
  let answered = 0;
  const whole = JSON.stringify({
    ...{ id: "1", object: "chat.completion", created: 1, model: "gpt-5-mini" },
    choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(400) }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 },
  });
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      answered += 1;
      if (!body.includes('"stream": true') && !body.includes('"stream":true'))
        return void res.writeHead(200, { "content-type": "application/json" }).end(whole);
      res.writeHead(200, { "content-type": "text/event-stream" });
      const delta = { choices: [{ index: 0, delta: { content: "word " }, finish_reason: null }] };
      for (let piece = 0; piece < 20; piece += 1) res.write(`data: ${JSON.stringify(delta)}\n\n`);
      open.add(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    open,
    release() {
      for (const res of open) res.end("data: [DONE]\n\n");
    },
    answered: () => answered,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
