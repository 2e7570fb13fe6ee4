import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readFile } from "./file-fault.ts";

/** Files at the top of a folder that say how it is published. */
export const describing = ["runfleet.json", "langgraph.json", ".runfleetignore", ".gitignore"];

/** What is never an agent's code, or may be secret. */
const usuallyIgnored = [
  ...[".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"],
  ...[".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store", "*.pyc"],
  ...[".env", ".env.*", ".envrc", ".netrc", ".pypirc"],
  ...["/runfleet.json", "/langgraph.json", ".runfleetignore", ".gitignore"],
];

/** True for a path, relative to the folder, that isn't to be published. `isFolder`: what is below it isn't looked at. */
export type IsIgnored = (path: string, isFolder: boolean) => boolean;

/**
 * Reads a folder's .gitignore files, those of the folders above it in its Git repository, and .runfleetignore. The latter comes
 * last, so `!dist/` in it publishes what Git leaves out. A .gitignore of a folder below counts for that folder.
 */
export function readIgnoreRules(folder: string, more: readonly string[]): IsIgnored {
  const ofFolders = new Map<string, Ignore | null>();
  const { top, rules } = readRulesAbove(folder);
  const root = ignore()
    .add(rules)
    .add(rulesBelow(top, readLines(join(folder, ".gitignore"))))
    .add(rulesBelow(top, usuallyIgnored))
    .add(rulesBelow(top, readLines(join(folder, ".runfleetignore"))))
    .add(rulesBelow(top, more));

  function rulesOf(below: string): Ignore | null {
    const known = ofFolders.get(below);
    if (known !== undefined) return known;
    const lines = readLines(join(folder, below, ".gitignore"));
    const found = lines.length === 0 ? null : ignore().add(lines);
    ofFolders.set(below, found);
    return found;
  }
  return (path, isFolder) => {
    const end = isFolder ? "/" : "";
    if (root.ignores(top + path + end)) return true;
    const parts = path.split("/");
    return parts.slice(1).some((_, at) => {
      const below = parts.slice(0, at + 1).join("/");
      return rulesOf(below)?.ignores(parts.slice(at + 1).join("/") + end) === true;
    });
  };
}

/** `top`: the folder's path below the top of its repository, with a `/` at its end. */
type RulesAbove = { top: string; rules: string[] };

/** Reads the rules of the folders above. There are none outside of a repository, and none where they leave the folder out. */
function readRulesAbove(folder: string): RulesAbove {
  const above: string[] = [];
  const own = realpathSync(folder);
  for (let at = own; !existsSync(join(at, ".git")); at = dirname(at)) {
    if (at === dirname(at)) return { top: "", rules: [] };
    above.unshift(dirname(at));
  }
  const [repository = own] = above;
  const pathOf = (one: string): string =>
    one === repository ? "" : `${relative(repository, one).split(sep).join("/")}/`;
  const rules = above.flatMap((one) => rulesBelow(pathOf(one), readLines(join(one, ".gitignore"))));
  const top = pathOf(own);
  return top !== "" && ignore().add(rules).ignores(top) ? { top: "", rules: [] } : { top, rules };
}

/** Returns the rules of a folder as they are at the top of its repository: `x` of `agents/a/` is anywhere below it. */
function rulesBelow(folder: string, rules: readonly string[]): string[] {
  if (folder === "") return [...rules];
  const within = `/${escapeRule(folder)}`;
  return rules
    .filter((rule) => rule.trim() !== "" && !rule.startsWith("#"))
    .map((rule) => {
      const [, not = "", path = ""] = /^(!?)(.*)$/.exec(rule) ?? [];
      const isAnywhere = !/\/(?!\s*$)/.test(path);
      return `${not}${within}${isAnywhere ? "**/" : ""}${path.replace(/^\/|^\\(?=[#!])/, "")}`;
    });
}

/** Returns a path as a rule has it that names this path and no other. */
export const escapeRule = (path: string): string => path.replaceAll(/[\\*?[\] ]/g, String.raw`\$&`);

const readLines = (path: string): string[] => (existsSync(path) ? readFile(path).toString().split(/\r?\n/) : []);
