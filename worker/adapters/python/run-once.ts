import type { Frame } from "../../channel/frame-schema.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import { readProcess } from "../read-process.ts";
import type { WarmRun } from "../../warm/run-warm.ts";
import { pythonArgv, runtimeHead, readOnlyPaths } from "./python-command.ts";

type Once = { sandbox: Sandbox; python: Python; runtime: Buffer };

/** Executes a run in a fresh sandbox, for levels without warm starts. */
export async function* runOnce({ sandbox, python, runtime }: Once, run: WarmRun): AsyncGenerator<Frame> {
  const { request, packages, opening, signal } = run;
  const { resources, egress, version_env: _, ...rest } = request;
  const argv = pythonArgv(python, "once");
  const child = await sandbox.start({ argv, env: {}, readOnly: readOnlyPaths(packages), resources, egress });
  child.stdin.write(runtimeHead(runtime));
  child.stdin.write(runtime);
  child.stdin.end(JSON.stringify({ ...rest, site_path: python.sitePath, packages }));
  yield* readProcess(child, { opening, signal });
}
