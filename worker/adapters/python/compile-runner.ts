import { readFileSync } from "node:fs";
import { buffer, text } from "node:stream/consumers";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";

const MiB = 1024 * 1024;
const resources = { memory_bytes: 128 * MiB, processes: 8, disk_bytes: MiB, cpu_ms: 30_000 };
const files = [
  "runner",
  "context",
  "encode_json",
  "call_agent",
  "resident",
  "places",
  "load_ahead",
  "daemon",
  "session",
] as const;

const compiler = `import marshal, os, sys
sources = eval(sys.stdin.read())
code = {name: compile(source, "<runfleet " + name + ">", "exec") for name, source in sources.items()}
os.write(3, marshal.dumps(code))`;

/**
 * Start what `compileRunner` gave: `once` finds on stdin the code's length on a line, the code, and then its request;
 * `resident` finds the first two on fd 5, and its commands after them; `daemon` finds all of them on stdin.
 */
export const bootstraps = {
  once: 'import marshal,sys;f=sys.stdin.buffer;modules=marshal.loads(f.read(int(f.readline())));exec(modules["runner"]);once()',
  resident:
    'import marshal;f=open(5,"rb");modules=marshal.loads(f.read(int(f.readline())));exec(modules["runner"]);exec(modules["resident"])',
  daemon:
    'import marshal,sys;f=sys.stdin.buffer;modules=marshal.loads(f.read(int(f.readline())));exec(modules["runner"]);exec(modules["daemon"])',
} as const;

/**
 * The runner's files as marshalled code of this very interpreter, so that no run compiles them and none needs to reach
 * the project's directory. Throws when the interpreter can't compile them.
 */
export async function compileRunner(sandbox: Sandbox, python: Python): Promise<Buffer> {
  const sources = Object.fromEntries(
    files.map((name) => [name, readFileSync(new URL(`./${name}.py`, import.meta.url), "utf8")]),
  );
  const child = await sandbox.start({
    argv: [python.path, "-I", "-S", "-c", compiler],
    env: {},
    readOnly: [],
    resources,
  });
  // JSON of strings only is a Python literal as well.
  child.stdin.end(JSON.stringify(sources));
  child.stdout.resume();
  const [code, complaint] = await Promise.all([buffer(child.events), text(child.stderr), child.exited]);
  if (code.length === 0) throw new Error(`${python.path} can't compile the runner: ${complaint}`);
  return code;
}
