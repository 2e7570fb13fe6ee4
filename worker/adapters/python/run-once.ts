import type { Frame } from "../../channel/frame-schema.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import { readProcess } from "../read-process.ts";
import type { WarmRun } from "../../warm/run-warm.ts";
import { pythonArgv, runtimeHead, readOnlyPaths } from "./python-command.ts";

type Once = { sandbox: Sandbox; python: Python; runtime: Buffer };

/** Executes a run in a fresh sandbox, for levels without warm starts. */
export async function* runOnce({ sandbox, python, runtime }: Once, run: WarmRun): AsyncGenerator<Frame> {
  const { request, packages, opening, signal, replies } = run;
  const { resources, egress, version_env: _, ...rest } = request;
  const argv = pythonArgv(python, "once");
  const site = { venv: python.venv, packages };
  const child = await sandbox.start({ argv, env: {}, readOnly: readOnlyPaths(site), resources, egress });
  child.listener?.beginRun(request.calls?.() ?? null);
  child.stdin.write(runtimeHead(runtime));
  child.stdin.write(runtime);
  child.stdin.write(`${JSON.stringify({ ...rest, ...site })}\n`);
  const reply = (line: string): void => void child.stdin.write(`${line}\n`);
  yield* readProcess({ ...child, reply }, { opening, signal, replies, stop_grace_ms: request.stop_grace_ms });
}
