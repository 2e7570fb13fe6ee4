import { readFileSync } from "node:fs";
import { Fault } from "./exit-codes.ts";

/** Returns what to tell of an error of the file system, which names its path; null for any other error. */
export function fileFault(error: unknown, cure = ""): Fault | null {
  const isOfFile = error instanceof Error && "syscall" in error && "path" in error;
  return isOfFile ? new Fault("usage", `${error.message}.${cure && ` ${cure}`}`) : null;
}

/** Reads a file. Throws Fault, naming the file, which an error of reading a folder doesn't. */
export function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Fault("usage", `${path} can't be read: ${(error as Error).message}.`);
  }
}
