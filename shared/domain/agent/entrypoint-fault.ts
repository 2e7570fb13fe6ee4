import { defaultFiles } from "../run/default-files.ts";
import { type AgentLanguage, scriptEnding } from "./agent-language.ts";
import { sourceText } from "./source-text.ts";
import { closest } from "./unknown-keys.ts";

type Code = {
  language: Exclude<AgentLanguage, "unknown">;
  entrypoint: string | undefined;
  /** Text or data URLs by path. */
  files: Record<string, string>;
  /** Packages are installed, one of which may have the module. */
  hasPackages: boolean;
};

/** How many files or names a message lists. */
const shown = 10;

/**
 * Returns why an entrypoint can't be run, with what was looked for and what is there. Null: it can, or the code doesn't tell
 * without being run.
 */
export function entrypointFault(code: Code): string | null {
  const { language, entrypoint, files } = code;
  const own = Object.keys(files).filter((name) => isCode(language, name));
  // The code comes with the run.
  if (own.length === 0) return null;
  if (entrypoint === undefined) return missingFault(language, own);
  const { where, name } = split(entrypoint);
  const found = findFile(code, where);
  if ("fault" in found) return `${found.fault}${list("The code has", own, where)}`;
  if (found.file === null || name === null) return null;
  const text = sourceText(files[found.file] ?? "");
  return text === null ? null : nameFault(language, { file: found.file, text, name });
}

const isCode = (language: Code["language"], name: string): boolean =>
  language === "python" ? name.endsWith(".py") : scriptEnding.test(name) && !name.includes("node_modules/");

function split(entrypoint: string): { where: string; name: string | null } {
  const at = entrypoint.indexOf(":");
  const [where, name] = at < 0 ? [entrypoint, ""] : [entrypoint.slice(0, at), entrypoint.slice(at + 1)];
  // Of `app.run` the module must have `app`.
  return { where: where.replace(/^-m /, "").trim(), name: name.split(".")[0] || null };
}

function missingFault(language: Code["language"], own: string[]): string | null {
  const usual: string[] = defaultFiles(language);
  if (usual.some((name) => own.includes(name))) return null;
  const first = own.toSorted((a, b) => a.split("/").length - b.split("/").length)[0];
  return `is missing, and there is no ${usual.join(" or ")}.${list("The code has", own)} Name the file to run, such as '${first}:main'`;
}

function findFile({ language, files, hasPackages }: Code, path: string): { file: string | null } | { fault: string } {
  if (isCode(language, path) || (language === "node" && path.includes("/")))
    return Object.hasOwn(files, path) ? { file: path } : { fault: `names '${path}', which the code doesn't have.` };
  if (language === "python" && scriptEnding.test(path))
    return { fault: `'${path}' is no Python: set \`adapter_type\` to \`node\`.` };
  if (language === "node") return { fault: `'${path}' is not like file.js, file.ts or file.ts:name.` };
  if (!/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(path))
    return { fault: `'${path}' is not like file.py, file.py:name or package.module:name.` };
  const base = path.replaceAll(".", "/");
  const places = ["", "src/"].flatMap((root) =>
    ["/__main__.py", "/__init__.py", ".py"].map((end) => `${root}${base}${end}`),
  );
  const file = places.find((place) => Object.hasOwn(files, place));
  if (file !== undefined || hasPackages) return { file: null };
  return { fault: `names the module '${path}': there is no ${places.join(", ")}.` };
}

/** Ways in which a module gets names that its text doesn't tell. */
const dynamic = {
  python: /import +\*|\b(exec|eval|globals|vars|setattr|__dict__|__getattr__)\b/,
  node: /export +\*|\bmodule\.exports\s*=\s*(?!\{)|\b(eval|Object\.assign|defineProperty)\b/,
};

function nameFault(
  language: Code["language"],
  { file, text, name }: { file: string; text: string; name: string },
): string | null {
  const isThere = new RegExp(`(?<![\\p{L}\\p{N}_$])${escapePattern(name)}(?![\\p{L}\\p{N}_$])`, "u").test(text);
  if (isThere || name === "default" || dynamic[language].test(text)) return null;
  return `names '${name}', which '${file}' doesn't have.${list("It has", namesOf(language, text), name)}`;
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const definitions = {
  python: /^(?:async +def|def|class) +([\p{L}_][\p{L}\p{N}_]*)|^([\p{L}_][\p{L}\p{N}_]*) *(?::[^=\n]+)?=(?!=)/gmu,
  node: /^export +(?:default +)?(?:async +)?(?:function|const|let|var|class|enum)\*? *([\p{L}_$][\p{L}\p{N}_$]*)|^(?:module\.)?exports\.([\p{L}_$][\p{L}\p{N}_$]*)/gmu,
};

function namesOf(language: Code["language"], text: string): string[] {
  return [...text.matchAll(definitions[language])].map(([, defined, assigned]) => defined ?? assigned ?? "");
}

/** Returns a sentence that lists names, the first ones, and the one that was probably meant. */
function list(has: string, names: string[], asked?: string): string {
  if (names.length === 0) return "";
  const more = names.length > shown ? " …" : "";
  const meant = asked === undefined ? null : closest(asked, names);
  const known = names.slice(0, shown).map((name) => name.slice(0, 100));
  return `${meant === null ? "" : ` Did you mean '${meant}'?`} ${has} ${known.join(", ")}${more}.`;
}
