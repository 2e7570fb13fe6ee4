import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of `names` on the search path; null when there is none. */
export function findProgram(names: string[], searchPath: string): string | null {
  for (const name of names)
    for (const folder of searchPath.split(delimiter))
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not here.
      }
  return null;
}
