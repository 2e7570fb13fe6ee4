import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { unpackDebianPackage } from "../../dev/debian-package.ts";
import { cacheDir, projectFolder } from "../../dev/reachable.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { findPython } from "../../worker/sandbox/find-python.ts";
import type { Client, Read } from "./cut-streams.ts";

const run = promisify(execFile);

/** A Python that can import the SDK. */
export type PythonSdk = { python: string; paths: string[]; env: Record<string, string> };

/** Finds a Python, and httpx for it: installed, else Debian's, which is the oldest that the SDK knows, else pip's. */
export async function findPythonSdk(): Promise<PythonSdk> {
  const env = readEnv();
  const { path: python } = await findPython(env["PYTHON"], env["PATH"] ?? "");
  const httpx = await findPackage(python, "httpx");
  const paths = [join(projectFolder(), "sdk/python"), ...(httpx === null ? [] : [httpx])];
  const forChild = { PATH: env["PATH"] ?? "", PYTHONPATH: paths.join(":"), PYTHONDONTWRITEBYTECODE: "1" };
  return { python, paths, env: forChild };
}

/** Returns a folder that has a package and what it needs; null where the interpreter has it. */
export async function findPackage(python: string, name: string): Promise<string | null> {
  const installed = await run(python, ["-I", "-c", `import ${name}`]).catch(() => null);
  if (installed) return null;
  const unpacked = await unpackDebianPackage(`python3-${name}`, cacheDir()).catch(() => null);
  if (unpacked !== null) return join(unpacked, "usr/lib/python3/dist-packages");
  const folder = join(cacheDir(), name);
  if (!existsSync(folder)) await run(python, ["-m", "pip", "install", "--quiet", "--target", folder, name]);
  return folder;
}

/** The Python SDK, a process a run. */
export function pythonClient({ python, env }: PythonSdk, world: "sync" | "async"): Client {
  const program = join(projectFolder(), "chaos/streams/read_run.py");
  return async (url, agent, runId) => {
    const { stdout } = await run(python, [program, url, agent, runId, world], { env, maxBuffer: 1 << 26 });
    return JSON.parse(stdout) as Read;
  };
}
