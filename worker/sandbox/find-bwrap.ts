import { accessSync, constants, openSync } from "node:fs";
import { delimiter, join } from "node:path";

/** An executable that is held open. `file` names this process's open descriptor of the executable. */
export type OpenExecutable = { path: string; file: string; fd: number };

/**
 * Returns bubblewrap at `path`, or on `searchPath` when `path` is undefined; null where there is none. It is held open and
 * started as /proc/self/fd/N, since such a link is followed without walking the path: so the sandbox's uid need not be able
 * to reach bubblewrap's directory, which may be a cache below a home of mode 0700.
 */
export function findBwrap(path: string | undefined, searchPath: string): OpenExecutable | null {
  const candidates = path ? [path] : searchPath.split(delimiter).map((directory) => join(directory, "bwrap"));
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK);
      const fd = openSync(candidate, "r");
      return { path: candidate, file: `/proc/self/fd/${fd}`, fd };
    } catch {
      // This candidate is missing or not executable.
    }
  }
  return null;
}
