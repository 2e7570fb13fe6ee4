import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "./exit-codes.ts";
import { fileFault } from "./file-fault.ts";
import { readIgnoreRules } from "./ignore-rules.ts";

/** What the service takes of a packed folder. */
const most = { files: 10_000, bytes: 32 * 1024 * 1024 };

const cure = "Name what isn't code in .runfleetignore.";

/** Returns a folder's files as a config has them. A link is left out: it may lead anywhere. Throws Fault. */
export function readFolder(folder: string, ignored: readonly string[]): Record<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Fault("usage", `There is no folder '${folder}'.`);
  try {
    return readFiles(folder, ignored);
  } catch (error) {
    throw fileFault(error, cure) ?? error;
  }
}

function readFiles(folder: string, ignored: readonly string[]): Record<string, string> {
  const isIgnored = readIgnoreRules(folder, ignored);
  const files: Record<string, string> = {};
  let [count, bytes] = [0, 0];
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isIgnored(name, entry.isDirectory())) continue;
      if (entry.isDirectory()) visit(name);
      if (!entry.isFile()) continue;
      [count, bytes] = [count + 1, bytes + statSync(join(folder, name)).size];
      if (count > most.files) throw new Fault("usage", `The folder has more than ${most.files} files. ${cure}`);
      if (bytes > most.bytes) throw new Fault("usage", `The folder has more than ${most.bytes} bytes. ${cure}`);
      files[name] = toContent(readFileSync(join(folder, name)));
    }
  };
  visit("");
  return files;
}

const binary = "data:application/octet-stream;base64,";

/** A text as it is; anything else, and a text that could be mistaken for one, as a data URL. */
function toContent(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const isText = !text.includes("\0") && !text.startsWith("data:") && Buffer.from(text).equals(bytes);
  return isText ? text : binary + bytes.toString("base64");
}

/** The opposite of `toContent`. */
export const toBytes = (content: string): Buffer =>
  content.startsWith(binary) ? Buffer.from(content.slice(binary.length), "base64") : Buffer.from(content);
