// Files that steps make. They are kept with the step's result, and written again where a later attempt comes to the step.
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stepErrors } from "./step-values.mjs";

/** Of one step's files, compressed and as text. */
const mostFilesLength = 4 * 1024 * 1024;
const executableBit = 0o100;

/** The run's directory, wherever its code goes. */
const runDirectory = process.cwd();

// Most runs need no compression, which costs each start of a process.
const loadZlib = () => process.getBuiltinModule("node:zlib");

/**
 * Returns the paths that a step names, without slashes at their ends.
 * @param {string | string[]} given @param {string} what
 */
export function checkPaths(given, what) {
  return (typeof given === "string" ? [given] : [...given]).map((path) => {
    const cut = String(path).replace(/\/+$/, "");
    if (cut.split("/").some((part) => ["", ".", ".."].includes(part)) || cut.includes("\0"))
      throw new RangeError(
        `${what} names '${path}' in \`files\`, which is no relative path inside of the run's directory.`,
      );
    return cut;
  });
}

/**
 * Returns the files as text. Symbolic links are left out. Throws for a path that isn't there, and for too much.
 * @param {string[]} paths @param {string} what @param {boolean} mustExist
 */
export function packFiles(paths, what, mustExist) {
  /** @type {Record<string, [string, number]>} */
  const found = {};
  let size = 0;
  for (const path of paths) {
    if (mustExist && !lstatSync(join(runDirectory, path), { throwIfNoEntry: false }))
      throw new Error(`${what} names '${path}' in \`files\`, and has not made it.`);
    for (const name of filesInside(path)) {
      const { size: bytes, mode } = lstatSync(join(runDirectory, name));
      size += bytes;
      refuseSize(size, 16 * mostFilesLength, what);
      found[name] = [readFileSync(join(runDirectory, name), "base64"), mode & executableBit ? 1 : 0];
    }
  }
  const text = loadZlib().deflateSync(JSON.stringify(found), { level: 1 }).toString("base64");
  refuseSize(text.length, mostFilesLength, what);
  return text;
}

/** @param {number} size @param {number} most @param {string} what */
function refuseSize(size, most, what) {
  if (size <= most) return;
  throw new stepErrors.ResultTooLarge(
    `${what} has files of more than ${most} bytes; compressed, they may have ${mostFilesLength}. Store them elsewhere, or as artifacts.`,
  );
}

/** @param {string} path @returns {string[]} The files that a path leads to. */
function filesInside(path) {
  const found = lstatSync(join(runDirectory, path), { throwIfNoEntry: false });
  if (found?.isFile()) return [path];
  if (!found?.isDirectory()) return [];
  return readdirSync(join(runDirectory, path)).flatMap((name) => filesInside(`${path}/${name}`));
}

/** Writes the files. What is there already is the same file, which the code before the step has written again. @param {string} text */
export function unpackFiles(text) {
  /** @type {Record<string, [string, number]>} */
  const files = JSON.parse(String(loadZlib().inflateSync(Buffer.from(text, "base64"))));
  for (const [name, [content, isExecutable]] of Object.entries(files)) {
    const path = join(runDirectory, name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, content, "base64");
    if (isExecutable) chmodSync(path, 0o755);
  }
}
