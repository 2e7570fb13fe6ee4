import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { Python } from "./sandbox.ts";
import { probeUid } from "./sandbox-uids.ts";

const run = promisify(execFile);
const oldest = [3, 9] as const;
const probe = `import sys
before = list(sys.path)
import site
site.main()
print("\\n".join(["%d.%d.%d" % sys.version_info[:3], sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix]
  + [p for p in sys.path if p not in before]))`;

/**
 * Finds a Python that a sandbox's user can run: `configured` (the PYTHON setting), or the first python3 on `searchPath` and in
 * the usual directories. Each candidate is run as a user with no more rights than a sandbox's. So a version manager's shim
 * leads to its binary, and a Python below a home of mode 0700 is passed over. Throws one sentence that says what was tried.
 */
export async function findPython(configured: string | undefined, searchPath: string): Promise<Python> {
  const directories = [...searchPath.split(delimiter), "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
  // /bin is /usr/bin on most systems.
  const different = new Set(directories.filter(isAbsolute).map(realPath));
  const inPath = (name: string) => [...different].map((directory) => join(directory, name));
  const refusals: string[] = [];
  for (const candidate of configured && isAbsolute(configured) ? [configured] : inPath(configured ?? "python3")) {
    const answer = await askPython(candidate);
    if ("path" in answer) return answer;
    refusals.push(answer.refusal);
  }
  const subject = configured ? `PYTHON=${configured} is no usable Python` : "No usable Python was found";
  throw new Error(
    `${subject} (${oldest.join(".")} or newer, which the sandbox's user can run): ${refusals.join("; ")}.`,
  );
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

type Answer = [version: string, path: string, prefix: string, base: string, exec: string, ...sitePath: string[]];

/** The probe prints at least five lines. */
function lines(stdout: string): Answer {
  const [version = "", path = "", prefix = "", base = "", exec = "", ...sitePath] = stdout.trim().split("\n");
  return [version, path, prefix, base, exec, ...sitePath];
}

async function askPython(candidate: string): Promise<Python | { refusal: string }> {
  if (!existsSync(candidate)) return { refusal: `${candidate}: ENOENT` };
  const drop = process.getuid?.() === 0 ? { uid: probeUid, gid: probeUid } : {};
  try {
    const options = { ...drop, cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeout: 10_000 };
    const { stdout } = await run(candidate, ["-I", "-S", "-c", probe], options);
    const [version, path, prefix, basePrefix, execPrefix, ...sitePath] = lines(stdout);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major !== oldest[0] || minor < oldest[1]) return { refusal: `${candidate} is ${version}` };
    const outside = [prefix, basePrefix, execPrefix, ...sitePath].filter(
      (entry) => !entry.startsWith("/usr/") && entry !== "/usr",
    );
    return { path, version, prefixes: [...new Set(outside)], venv: null };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    return { refusal: `${candidate}: ${code}` };
  }
}
