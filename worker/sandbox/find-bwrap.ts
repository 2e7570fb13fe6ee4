import { accessSync, constants, openSync } from "node:fs";
import { delimiter, join } from "node:path";

/** An executable that runs from anywhere: `file` names this process's own open descriptor of it. */
export type OpenExecutable = { path: string; file: string; fd: number };

/**
 * bubblewrap at `path`, else on PATH; null where there is none.
 * It is held open and started as /proc/self/fd/N: the uid that the sandbox drops to need not reach its directory (a cache
 * below a 0700 home, say), since such a link is followed without walking the path.
 */
export function findBwrap(path: string | undefined, searchPath: string): OpenExecutable | null {
  const candidates = path ? [path] : searchPath.split(delimiter).map((directory) => join(directory, "bwrap"));
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK);
      const fd = openSync(candidate, "r");
      return { path: candidate, file: `/proc/self/fd/${fd}`, fd };
    } catch {
      // Not this one.
    }
  }
  return null;
}
