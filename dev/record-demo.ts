import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Env, readEnv } from "../shared/platform/config/env.ts";
import { runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { drawTerminal, type Written } from "./draw-terminal.ts";
import { projectFolder } from "./reachable.ts";

const command = ["npm", "run", "demo"] as const;
/** The demo's last line: what follows is its wait for Ctrl-C. */
const lastLine = "Ctrl-C ends everything.";

await runProcess(async (signal) => {
  // The database's own user must be able to go through the folder.
  const dataDir = mkdtempSync(join(tmpdir(), "runfleet-recording-"));
  chmodSync(dataDir, 0o711);
  try {
    const written = await record({ ...readEnv(), DATA_DIR: dataDir, npm_config_loglevel: "silent" }, signal);
    const picture = drawTerminal([{ at_ms: 0, text: `$ ${command.join(" ")}\n` }, ...written], {
      title: command.join(" "),
      columns: 100,
      rows: 24,
      slowdown: 8,
      longestPauseMs: 150,
    });
    const path = join(projectFolder(), "docs/demo.svg");
    writeFileSync(path, picture);
    console.log(`${path}: ${(picture.length / 1024).toFixed(0)} KiB`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Runs the demo to its last line and ends it. Throws when the demo ends before. */
async function record(env: Env, signal: AbortSignal): Promise<Written[]> {
  const [program, ...args] = command;
  const demo = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"], cwd: projectFolder() });
  const began = performance.now();
  const written: Written[] = [];
  const end = (): void => void demo.kill("SIGTERM");
  signal.addEventListener("abort", end);
  demo.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.push({ at_ms: Math.round(performance.now() - began), text });
    if (text.includes(lastLine)) end();
  });
  await new Promise((resolve, reject) => demo.once("close", resolve).once("error", reject));
  signal.removeEventListener("abort", end);
  if (written.some(({ text }) => text.includes(lastLine))) return written;
  throw new Error(`\`${command.join(" ")}\` ended before it had shown everything. Nothing was recorded.`);
}
