import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Fault } from "./exit-codes.ts";
import { readFile } from "./file-fault.ts";

/** Returns what a folder's requirements.txt names, else the dependencies of its pyproject.toml; undefined without either. */
export function readRequirements(folder: string): string[] | undefined {
  const path = join(folder, "requirements.txt");
  return existsSync(path) ? readList(folder, path, []) : readPyproject(folder);
}

/** Reads a file as pip does. Hashes are left out: the build locks each package with its own. */
function readList(folder: string, path: string, from: readonly string[]): string[] {
  const name = relative(folder, path);
  if (from.includes(path)) return [];
  const refuse = (at: number, why: string): never => {
    throw new Fault("usage", `${name}:${at}: ${why}`);
  };
  return joinLines(decode(readFile(path))).flatMap(({ text, at }) => {
    const wanted = text
      .replace(/(^|\s)#.*$/, "")
      .replaceAll(/\s--hash[= ]\S+/g, "")
      .trim();
    const [, included] = /^(?:-r|--requirement)[= ]?\s*(.+)$/.exec(wanted) ?? [];
    if (included !== undefined) {
      const other = join(dirname(path), included);
      if (relative(folder, other).startsWith("..") || !existsSync(other))
        refuse(at, `'${included}' isn't in the folder.`);
      return readList(folder, other, [...from, path]);
    }
    // The folder's own code is sent anyway.
    const [itself, extras = ""] = /^(?:-e\s*|--editable[= ]\s*)?\.(?:\[([^\]]*)\])?$/.exec(wanted) ?? [];
    if (itself !== undefined) return readPyproject(folder, extras.split(",")) ?? [];
    if (wanted.startsWith("-"))
      refuse(at, `an option can't be sent: '${wanted}'. The worker's own index is used. Remove the line.`);
    if (/(^|@\s*)(git\+|https?:|file:)|^\.{0,2}\//.test(wanted))
      refuse(
        at,
        `'${wanted}' names a place. Only packages of the worker's index are installed: name it with its version.`,
      );
    return wanted === "" ? [] : [wanted];
  });
}

/** PowerShell's `>` writes UTF-16. */
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? "utf16le" : "utf8").replace(/^\uFEFF/, "");
}

/** A backslash at its end makes a line go on in the next one. `at`: where it begins. */
function joinLines(text: string): { text: string; at: number }[] {
  const lines: { text: string; at: number }[] = [];
  let isOpen = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const part = line.replace(/\\$/, " ");
    const last = lines.at(-1);
    if (isOpen && last) last.text += part;
    else lines.push({ text: part, at: index + 1 });
    isOpen = part !== line;
  }
  return lines;
}

/** Returns the list `dependencies` of the table [project], and those of its extras. */
function readPyproject(folder: string, extras: string[] = []): string[] | undefined {
  const path = join(folder, "pyproject.toml");
  const toml = existsSync(path) ? decode(readFile(path)).replaceAll("\r\n", "\n") : "";
  const dependencies = readToml(toml, "project").get("dependencies");
  if (dependencies !== undefined) {
    const optional = readToml(toml, "project.optional-dependencies");
    return [dependencies, ...extras.map((extra) => optional.get(extra.trim()) ?? [])].flat();
  }
  if (/^\[tool\.poetry\.dependencies\]/m.test(toml))
    throw new Fault(
      "usage",
      "pyproject.toml names its packages in [tool.poetry.dependencies], which is Poetry's own. Write them to requirements.txt: poetry export -o requirements.txt",
    );
  return undefined;
}

/** Returns the lists of a table, by name; their items are strings without escapes. */
function readToml(toml: string, name: string): Map<string, string[]> {
  const head = `[${name}]`.replaceAll(/[[\].]/g, "\\$&");
  const table = new RegExp(`^${head}\\s*$([\\s\\S]*?)(?=^\\[|(?![\\s\\S]))`, "m").exec(toml)?.[1] ?? "";
  const lists = table.matchAll(/^"?([\w.-]+)"?\s*=\s*\[((?:"[^"]*"|'[^']*'|#.*|[^\]"'#])*)\]/gm);
  return new Map(
    [...lists].map(([, key = "", list = ""]) => [
      key,
      [...list.matchAll(/#.*|"([^"]*)"|'([^']*)'/g)].flatMap(([, one, other]) => one ?? other ?? []),
    ]),
  );
}
