import { readdirSync, readFileSync } from "node:fs";
import { buffer, text } from "node:stream/consumers";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import { runtimeFile } from "../runtime-file.ts";

const MiB = 1024 * 1024;
const resources = { memory_bytes: 128 * MiB, processes: 8, disk_bytes: MiB, cpu_ms: 30_000 };

const compiled = new WeakMap<Python, Promise<Buffer>>();

/**
 * Returns the modules of runtime/python, by name, as code that this interpreter has compiled and marshalled: so no run
 * compiles them, and no sandbox needs to read the project's directory. Compiled once; again after a failure, which is thrown.
 */
export function compileRuntime(sandbox: Sandbox, python: Python): Promise<Buffer> {
  const known = compiled.get(python);
  if (known) return known;
  const code = compile(sandbox, python);
  compiled.set(python, code);
  code.catch(() => compiled.delete(python));
  return code;
}

async function compile(sandbox: Sandbox, python: Python): Promise<Buffer> {
  const compiler = readFileSync(runtimeFile("python/compile.py"), "utf8");
  const child = await sandbox.start({
    argv: [python.path, "-I", "-S", "-c", compiler],
    env: {},
    readOnly: [],
    resources,
  });
  child.stdin.end(JSON.stringify(readModules()));
  child.stdout.resume();
  const [code, complaint] = await Promise.all([buffer(child.events), text(child.stderr), child.exited]);
  if (code.length === 0) throw new Error(`${python.path} can't compile the runtime: ${complaint}`);
  return code;
}

function readModules(): Record<string, string> {
  const folder = runtimeFile("python/_runfleet/");
  const files = readdirSync(folder).filter((name) => name.endsWith(".py"));
  return Object.fromEntries(
    files.map((name) => [
      name === "__init__.py" ? "_runfleet" : `_runfleet.${name.slice(0, -".py".length)}`,
      readFileSync(new URL(name, folder), "utf8"),
    ]),
  );
}
