import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectFolder } from "../../dev/reachable.ts";
import { readEnv } from "../../shared/platform/config/env.ts";

const port = "18190";
const url = `http://127.0.0.1:${port}`;

/** The graph that every row of LangGraph in Node runs. */
export const graphFile = join(projectFolder(), "bench/peers/langgraph/graph.mjs");

/**
 * Starts LangGraph's own server of the graph, in memory, and ends it after `work`. Its packages are installed from the npm
 * registry when they are missing. `run` runs the graph once, without a thread.
 */
export async function withLanggraphServer<T>(
  signal: AbortSignal,
  work: (run: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const folder = join(projectFolder(), "bench/peers/langgraph");
  if (!existsSync(join(folder, "node_modules")))
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  const program = join(folder, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
  const server = spawn(process.execPath, [program, "dev", "--no-browser", "--no-reload", "--port", port], {
    cwd: folder,
    env: { ...readEnv(), LANGSMITH_TRACING: "false" },
    stdio: "ignore",
    // The server starts processes of its own.
    detached: true,
  });
  try {
    while ((await fetch(`${url}/ok`).catch(() => null))?.ok !== true) await sleep(200, undefined, { signal });
    return await work(runOnce);
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL");
  }
}

async function runOnce(): Promise<void> {
  const answer = await fetch(`${url}/runs/wait`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "agent", input: { messages: [{ role: "user", content: "hi" }] } }),
  });
  const text = await answer.text();
  if (!text.includes("You said hi")) throw new Error(`The run did not succeed: ${answer.status} ${text}`);
}
