import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Returns the first of `names` on the search path, or null. Relative entries of the path are ignored. */
export function findProgram(names: string[], searchPath: string): string | null {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => isExecutable(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
