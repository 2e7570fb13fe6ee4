import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Python } from "../sandbox/sandbox.ts";
import { makeOwnedFolder, stickyBit } from "./make-owned-folder.ts";

/** A line of a .pth file: adds the packages of the agent, which its process names, to those of a child. */
const addPackages = `import os, sys; sys.path += filter(None, [os.environ.get("RUNFLEET_PACKAGES")])\n`;

/**
 * Returns the Python with a virtual environment below `directory`, in which a sandbox's Python and its children run, so that
 * the machine's own packages are never found. Without one, where the folder can't be used, only the children find them.
 */
export function withVenv(python: Python, directory: string): Python {
  return makeOwnedFolder(directory) === null ? { ...python, venv: makeVenv(directory, python) } : python;
}

/** Makes a virtual environment without packages, which every user may read. Returns its folder. */
function makeVenv(directory: string, { path, version }: Python): string {
  const config = `home = ${dirname(path)}\ninclude-system-site-packages = false\nversion = ${version}\n`;
  const library = join("lib", `python${version.split(".").slice(0, 2).join(".")}`, "site-packages");
  const about = createHash("sha256").update(JSON.stringify([path, config, addPackages]));
  const folder = join(directory, `venv-${about.digest("hex").slice(0, 32)}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  for (const folder of ["bin", library]) mkdirSync(join(draft, folder), { recursive: true, mode: 0o755 });
  const write = (name: string, text: string): void => {
    writeFileSync(join(draft, name), text);
    chmodSync(join(draft, name), 0o644 | stickyBit);
  };
  write("pyvenv.cfg", config);
  write(join(library, "runfleet.pth"), addPackages);
  for (const name of ["python", "python3"]) symlinkSync(path, join(draft, "bin", name));
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another worker may have made the same one first.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
  return folder;
}
