import type { Frame } from "../../channel/frame-schema.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import { readProcess } from "../read-process.ts";
import type { Play } from "../warm/play-warm.ts";
import { bootstraps } from "./compile-runner.ts";
import { pythonArgv, visible } from "./python-command.ts";

type Once = { sandbox: Sandbox; python: Python; runner: Buffer };

/** A run in a fresh sandbox, where none can be kept. */
export async function* runOnce({ sandbox, python, runner }: Once, play: Play): AsyncGenerator<Frame> {
  const { request, packages, opening, signal } = play;
  const { resources, egress, version_env: _, ...rest } = request;
  const argv = pythonArgv(python, bootstraps.once);
  const child = await sandbox.start({ argv, env: {}, readOnly: visible(packages), resources, egress });
  child.stdin.write(`${runner.length}\n`);
  child.stdin.write(runner);
  child.stdin.end(JSON.stringify({ ...rest, site_path: python.sitePath, packages }));
  yield* readProcess(child, { opening, signal });
}
