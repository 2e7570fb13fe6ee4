import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { readProcess } from "../read-process.ts";
import { bootstrap, compileRunner } from "./compile-runner.ts";

/**
 * Runs Python source, each run in a fresh sandbox. A start that fails rejects with `SandboxUnavailable` before `started`.
 */
export async function createPythonAdapter(sandbox: Sandbox, python: Python): Promise<Adapter> {
  const runner = await compileRunner(sandbox, python);
  const argv = [python.path, "-I", "-S", "-X", "utf8", "-c", bootstrap] as const;

  return {
    async *run(request, signal) {
      const { memory_bytes, processes, disk_bytes, cpu_ms } = request.resources;
      const child = await sandbox.start({ argv, env: {}, resources: { memory_bytes, processes, disk_bytes, cpu_ms } });
      writeRequest(child.stdin, runner, request, python);
      yield* readProcess(child, { warm: false, signal });
    },
  };
}

function writeRequest(stdin: NodeJS.WritableStream, runner: Buffer, request: AgentRequest, python: Python): void {
  const { resources: _, ...rest } = request;
  stdin.write(`${runner.length}\n`);
  stdin.write(runner);
  stdin.end(JSON.stringify({ ...rest, site_path: python.sitePath }));
}
