import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { readProgram } from "../../../worker/adapters/node/read-program.ts";

type Frame = { type: string; [field: string]: unknown };

/** Runs an agent's code by the program of runs, in an empty directory. Once it outputs "up", it is asked to end. */
export async function runOnce(code: Record<string, string>): Promise<{ frames: Frame[]; exit: number | null }> {
  const cwd = await mkdtemp(join(tmpdir(), "run-once-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const argv = ["--no-warnings", "-e", readProgram("once")];
  const options = { cwd, timeout: 60_000, killSignal: "SIGKILL" } as const;
  const child = spawn(process.execPath, argv, { ...options, stdio: ["pipe", "ignore", "ignore", "pipe"] });
  const [entrypoint] = Object.keys(code);
  const files = { files: {}, env: {}, answers: [], history: [], metadata: {} };
  const request = { run_id: "run", input_payload: {}, state_snapshot: "", attempt: 1, ...files };
  const loaded = { entrypoint, code, type_stripper: "", env: {}, preload: false };
  // Stays open, as a worker's does.
  child.stdin?.write(`${JSON.stringify(loaded)}\n${JSON.stringify(request)}\n`);
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const frames: Frame[] = [];
  let text = "";
  for await (const part of (child.stdio[3] as Readable).setEncoding("utf8")) {
    text += part;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const frame = JSON.parse(line) as Frame;
      if (frame.type !== "loaded") frames.push(frame);
      if (frame["content"] === "up") child.kill("SIGTERM");
    }
  }
  return { frames, exit: await exit };
}
