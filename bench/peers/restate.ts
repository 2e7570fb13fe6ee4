import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectFolder, reachableFolder } from "../../dev/reachable.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import type { BenchClient } from "../client.ts";

const ports = { ingress: 18180, admin: 19170, node: 15222, service: 19280 };

/**
 * Starts Restate's server and a service of its SDK, on this machine, and ends them after `work`. Their packages are installed
 * from the npm registry when they are missing. A run of the client calls the handler of that name.
 */
export async function withRestate<T>(signal: AbortSignal, work: (client: BenchClient) => Promise<T>): Promise<T> {
  const folder = join(projectFolder(), "bench/peers/restate");
  if (!existsSync(join(folder, "node_modules")))
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "restate-"));
  const env = {
    ...readEnv(),
    RESTATE_BASE_DIR: directory,
    RESTATE_LOG_FILTER: "error",
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ports.ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${ports.admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${ports.node}`,
  };
  const server = `${folder}/node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const children = [
    spawn(server, { env, stdio: "ignore" }),
    spawn(process.execPath, ["service.mjs", String(ports.service)], { cwd: folder, stdio: "ignore" }),
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  try {
    await register(signal);
    return await work({
      publish: () => Promise.resolve(),
      async run(handler) {
        const at = performance.now();
        const text = await call(agent, handler);
        if (!text.includes('"ok":true')) throw new Error(`The call did not succeed: ${text}`);
        const whole = performance.now() - at;
        return { first: whole, whole, runId: "", startedAt: performance.timeOrigin + at };
      },
      close: () => agent.destroy(),
    });
  } finally {
    agent.destroy();
    for (const child of children) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

async function register(signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ uri: `http://127.0.0.1:${ports.service}` });
  const headers = { "content-type": "application/json" };
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${ports.admin}/deployments`, { method: "POST", headers, body }).catch(
      () => null,
    );
    if (answer?.ok) return;
    await sleep(200, undefined, { signal });
  }
}

function call(agent: Agent, handler: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: ports.ingress, path: `/agent/${handler}`, method: "POST", agent };
    const sent = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => (text += part));
      answer.on("end", () => resolve(text));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}
