import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The programs that run inside of a sandbox, as this package has them. */
const runtime = fileURLToPath(new URL("../../runtime/", import.meta.url));

/** `folder`: whose installed packages are used. */
export type Program = {
  language: "python" | "node";
  entrypoint: string;
  files: Record<string, string>;
  folder: string;
};

/** What an agent's process says: worker/channel/ has the schema of each. */
export type Frame = { type: string; [field: string]: unknown };

export type AgentProcess = {
  /** Ends with the process. Yields null when nothing came for `quietMs`. */
  frames: AsyncIterable<Frame | null>;
  send(line: object): void;
  stop(): Promise<void>;
  /** Returns what it wrote to stderr itself, the newest last. */
  stderr(): string;
};

const boot = "import sys; sys.path.insert(0, sys.argv.pop()); from _runfleet.once import main; main(0)";
/** So long an agent may import what it needs. */
const quietMs = 30_000;
const stderrLength = 8_192;

/** Starts an agent as a worker does, without a sandbox: the code has the rights of who calls this. */
export function startAgent(program: Program, request: Record<string, unknown>): AgentProcess {
  const directory = mkdtempSync(join(tmpdir(), "runfleet-rehearsal-"));
  linkPackages(program, directory);
  const [command, ...args] =
    program.language === "python"
      ? ["python3", "-c", boot, join(runtime, "python")]
      : [process.execPath, "--no-warnings", join(runtime, "node/once.mjs")];
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" };
  const child = spawn(command ?? "", args, { cwd: directory, env, stdio: ["pipe", "ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-stderrLength)));
  child.stdin?.on("error", () => undefined); // The process may end before it has read everything.
  const ended = once(child, "close").catch((error: unknown) => void (said += String(error)));
  const send = (line: object): void => void child.stdin?.write(`${JSON.stringify(line)}\n`);
  const { entrypoint, files } = program;
  if (program.language === "node")
    send({ entrypoint, code: files, type_stripper: typeStripper(program.folder), env: {}, preload: false });
  send({ ...request, entrypoint, code: files, venv: null, packages: null });
  return {
    frames: readFrames(child),
    send,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
    stderr: () => said,
  };
}

async function* readFrames(child: ChildProcess): AsyncGenerator<Frame | null> {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Readable)) return;
  const lines = createInterface({ input: pipe, crlfDelay: Infinity })[Symbol.asyncIterator]();
  for (let next = lines.next(); ;) {
    const line = await before(next, quietMs);
    if (line === null) yield null;
    else if (line.done) return;
    else {
      next = lines.next();
      if (line.value !== "") yield JSON.parse(line.value) as Frame;
    }
  }
}

/** Resolves with null after a time. */
async function before<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((settle) => (timer = setTimeout(() => settle(null), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The runtime writes a package of its own beside the author's: so each of these is a link. */
function linkPackages({ folder, language }: Program, directory: string): void {
  const installed = resolve(folder, "node_modules");
  if (language !== "node" || !existsSync(installed)) return;
  mkdirSync(join(directory, "node_modules"));
  for (const name of readdirSync(installed))
    if (name !== "runfleet" && !name.startsWith("."))
      symlinkSync(join(installed, name), join(directory, "node_modules", name));
}

/** Only TypeScript needs it: the service's own has it, and an author may install it beside the agent. */
function typeStripper(folder: string): string {
  for (const from of [import.meta.url, join(resolve(folder), "package.json")])
    try {
      return createRequire(from).resolve("@swc/wasm-typescript");
    } catch {
      // The next place may have it.
    }
  return "@swc/wasm-typescript";
}
