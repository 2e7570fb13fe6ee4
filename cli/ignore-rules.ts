import { existsSync } from "node:fs";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readFile } from "./file-fault.ts";

/** What is never an agent's code, or may be secret. */
const usuallyIgnored = [
  ...[".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"],
  ...[".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store", ".env", ".env.*", "*.pyc"],
  ...["/runfleet.json", "/langgraph.json", ".runfleetignore", ".gitignore"],
];

/** True for a path, relative to the folder, that isn't to be published. `isFolder`: what is below it isn't looked at. */
export type IsIgnored = (path: string, isFolder: boolean) => boolean;

/**
 * Reads a folder's .gitignore files and .runfleetignore. The latter comes last, so `!dist/` in it publishes what Git leaves out.
 * A .gitignore of a folder below counts for that folder.
 */
export function readIgnoreRules(folder: string, more: readonly string[]): IsIgnored {
  const ofFolders = new Map<string, Ignore | null>();
  const root = ignore()
    .add(readIfThere(join(folder, ".gitignore")) ?? "")
    .add(usuallyIgnored)
    .add(readIfThere(join(folder, ".runfleetignore")) ?? "")
    .add([...more]);

  function rulesOf(below: string): Ignore | null {
    const known = ofFolders.get(below);
    if (known !== undefined) return known;
    const text = readIfThere(join(folder, below, ".gitignore"));
    const rules = text === null ? null : ignore().add(text);
    ofFolders.set(below, rules);
    return rules;
  }
  return (path, isFolder) => {
    const end = isFolder ? "/" : "";
    if (root.ignores(path + end)) return true;
    const parts = path.split("/");
    return parts.slice(1).some((_, at) => {
      const below = parts.slice(0, at + 1).join("/");
      return rulesOf(below)?.ignores(parts.slice(at + 1).join("/") + end) === true;
    });
  };
}

const readIfThere = (path: string): string | null => (existsSync(path) ? readFile(path).toString() : null);
