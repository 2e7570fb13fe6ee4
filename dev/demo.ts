import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readEnv } from "../shared/platform/config/env.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { loadDevConfig } from "./dev-config.ts";
import { leaveRuns } from "./demo-runs.ts";
import { projectFolder } from "./reachable.ts";
import { startStack } from "./start-stack.ts";

await runProcess(async (signal) => {
  const env = readEnv();
  const began = performance.now();
  const logFile = env["LOG_LEVEL"] ? undefined : join(loadDevConfig(env).DATA_DIR, "demo.log");
  const { url, close } = await startStack(env, signal, logFile);
  try {
    console.log(`The stack was ready after ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
    console.log(`Console:        ${url}/console/\n`);
    await showRun(url, signal);
    await leaveRuns(
      async (path, body, headers) => void (await post(`${url}${path}`, body, { signal, headers })),
      async (path) => (await (await fetch(`${url}${path}`, { signal })).json()) as { data: unknown[] },
    );
    console.log(`
Do it yourself:
  curl -N ${url}/v1/execute -H 'Content-Type: application/json' \\
    -d '{"agent_id":"hello-agent","version":"latest","input_payload":{"name":"Ada"}}'

Console:        ${url}/console/
API:            ${url}
Documentation:  ${url}/docs
Ctrl-C ends everything.`);
    await aborted(signal);
  } finally {
    await close();
  }
});

/** Creates the example agent, runs it, and prints its stream as it comes. */
async function showRun(url: string, signal: AbortSignal): Promise<void> {
  const source = readFileSync(join(projectFolder(), "examples/hello-agent/main.py"), "utf8");
  const version = `1.0.0+${createHash("sha256").update(source).digest("hex").slice(0, 8)}`;
  const config = { files: { "main.py": source }, entrypoint: "main.py:main" };
  await post(
    `${url}/v1/agents`,
    { user_id: "demo", id: "hello-agent", name: "hello-agent", version, config },
    { signal },
  );
  const body = { agent_id: "hello-agent", version, input_payload: { name: "Runfleet" } };
  const stream = await post(`${url}/v1/execute`, body, { signal });
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) process.stdout.write(decoder.decode(chunk, { stream: true }));
}

type Sent = { signal: AbortSignal; headers?: Record<string, string> | undefined };

async function post(url: string, body: unknown, { signal, headers }: Sent): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(body), signal };
  const response = await fetch(url, { ...init, headers: { "content-type": "application/json", ...headers } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
