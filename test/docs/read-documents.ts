import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const root = join(import.meta.dirname, "../..");
const skipped = new Set(["node_modules", "dist", ".git", ".data", ".cache", "generated", "__pycache__"]);

/** `path`: from the project's folder. `prose`: the text with its fenced blocks left out. */
export type Document = {
  path: string;
  text: string;
  prose: string;
  /** Fenced blocks, by the language that they name. */
  blocks: { language: string; code: string }[];
  /** What stands in backticks in the prose. */
  spans: string[];
};

/** Every file and folder of the project that people wrote, as paths from its folder; folders end with "/". */
export function listProject(folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [`${path}/`, ...listProject(path)] : [path];
  });
}

/** The project's own texts; those of vendored packages and tests' samples aren't. */
export const readDocuments = (): Document[] =>
  listProject()
    .filter((path) => path.endsWith(".md") && !path.startsWith("test/"))
    .map(readDocument);

export function readDocument(path: string): Document {
  const text = readFileSync(join(root, path), "utf8");
  const blocks: Document["blocks"] = [];
  const prose = text.replace(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```$/gm, (_all, _indent, language, code) => {
    blocks.push({ language: String(language), code: String(code) });
    return "";
  });
  const spans = [...prose.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , span = ""]) => span.trim());
  return { path, text, prose, blocks, spans };
}

/** Links to the project's own files: `[text](target)` and `src="target"`, without those that name a host. */
export const localLinks = ({ prose }: Document): string[] =>
  [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|href|srcset)="([^"]+)"/g)]
    .map(([, link, source]) => link ?? source ?? "")
    .filter((target) => !/^[a-z]+:/.test(target));

/** The path and the anchor that a link in `document` leads to. */
export function resolveLink(document: Document, link: string): { path: string; anchor: string } {
  const [path = "", anchor = ""] = link.split("#");
  return { path: path === "" ? document.path : normalize(join(dirname(document.path), path)), anchor };
}

/** The anchors of a page's headings, as GitHub makes them: https://github.com/gjtorikian/html-pipeline, toc filter. */
export function anchorsOf({ prose }: Document): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}
