import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

const folder = pathToFileURL(join(import.meta.dirname, "../../../runtime/node/"));

type Outcome = {
  frames: { type: string; [field: string]: unknown }[];
  stdout: string;
  stderr: string;
  code: number | null;
};

/** Runs statements in a Node process in an empty directory. They find all that a module of runtime/node exports; fd 3 is a pipe. */
export async function runModule(module: string, statements: string): Promise<Outcome> {
  const cwd = await mkdtemp(join(tmpdir(), "run-module-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const url = new URL(`${module}.mjs`, folder).href;
  const program = `import * as module from ${JSON.stringify(url)};\n${statements}`;
  const argv = ["--no-warnings", "--input-type=module", "-e", program];
  const child = spawn(process.execPath, argv, { cwd, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [stdout = "", stderr = "", sent = ""] = await Promise.all(child.stdio.slice(1, 4).map(readPipe));
  const lines = sent.split("\n").filter((line) => line !== "");
  const frames = lines.map((line) => JSON.parse(line) as Outcome["frames"][number]);
  return { frames, stdout, stderr, code: await code };
}

async function readPipe(pipe: unknown): Promise<string> {
  if (!(pipe instanceof Readable)) throw new Error("not a pipe");
  return text(pipe);
}
