import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { reachableFolder } from "../dev/reachable.ts";
import { startStack } from "../dev/start-stack.ts";
import { type Env, readEnv } from "../shared/config/env.ts";
import { runProcess } from "../shared/lifecycle/run-process.ts";

const rounds = 200;
const warmUp = 20;
const port = 18_099;

/** `npm run bench`: figures taken in turn, in one run, so that the machine's moods hit all of them alike. */
await runProcess(async (signal) => {
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "stack-"));
  const logFile = join(dataDir, "log");
  const env: Env = { ...readEnv(), DATA_DIR: dataDir, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "warn" };
  const { url, close } = await startStack(env, signal, logFile);
  try {
    const source = "def main(input):\n    yield 'hello'\n    return {'ok': True}\n";
    await post(`${url}/v1/agents`, { user_id: "bench", id: "bench", name: "bench", config: { source } });
    const figures = { python: [] as number[], first: [] as number[], whole: [] as number[] };
    for (let round = -warmUp; round < rounds && !signal.aborted; round += 1) {
      const python = await timePython(env["PYTHON"] ?? "/usr/bin/python3");
      const run = await timeRun(url);
      if (round < 0) continue;
      figures.python.push(python);
      figures.first.push(run.first);
      figures.whole.push(run.whole);
    }
    print(figures);
  } finally {
    await close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

function print(figures: Record<"python" | "first" | "whole", number[]>): void {
  const bare = quantile(figures.python, 0.5);
  const row = (name: string, values: number[]): string => {
    const [median, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    return `| ${name} | ${median.toFixed(1)} | ${p99.toFixed(1)} | ${(median / bare).toFixed(2)} |`;
  };
  console.log(
    `${rounds} rounds, one after the other; ${cpus().length} cores, ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}\n`,
  );
  console.log("| figure | median ms | p99 ms | ÷ bare Python |\n|---|---|---|---|");
  console.log(row("`python3 -c pass`", figures.python));
  console.log(row("POST to the first output", figures.first));
  console.log(row("POST to the terminal event", figures.whole));
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function timePython(python: string): Promise<number> {
  const at = performance.now();
  return new Promise((resolve, reject) => {
    spawn(python, ["-c", "pass"], { stdio: "ignore" })
      .once("error", reject)
      .once("exit", () => resolve(performance.now() - at));
  });
}

/** To the first output and to the end of the stream, which is its terminal event. */
async function timeRun(url: string): Promise<{ first: number; whole: number }> {
  const at = performance.now();
  const response = await post(`${url}/v1/execute`, { agent_id: "bench", version: "1.0.0" });
  let first = Number.NaN;
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (Number.isNaN(first) && text.includes("event: output.delta")) first = performance.now() - at;
  }
  if (!text.includes("event: run.success")) throw new Error(`The run did not succeed:\n${text}`);
  return { first, whole: performance.now() - at };
}

async function post(url: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
