import { statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describing, readIgnoreRules } from "./ignore-rules.ts";

/** An editor writes several files at once. */
const quietMs = 150;

type Changes = { next(): Promise<void>; close(): void };

/**
 * Watches what is published of a folder. `readIgnored`: reads what runfleet.json says. A change that comes while nobody waits is
 * not lost.
 */
export function watchFolder(folder: string, readIgnored: () => readonly string[]): Changes {
  let isChanged = false;
  let notify = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  let counts = readWatchRules(folder, readIgnored());
  const changes = (name: string | null): boolean => {
    try {
      if (name === null) return true;
      if (!counts(name)) return false;
      if (describing.includes(basename(name))) counts = readWatchRules(folder, readIgnored());
    } catch {
      // The folder is gone for a moment, or what describes it can't be read: publishing says why.
    }
    return true;
  };
  const watcher = watch(folder, { recursive: true }, (_event, name) => {
    if (!changes(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isChanged = true;
      notify();
    }, quietMs);
  });
  return {
    async next() {
      if (!isChanged) await new Promise<void>((resolve) => (notify = resolve));
      isChanged = false;
    },
    close: () => watcher.close(),
  };
}

/** Returns whether a change of a path may change what is published. The files that say what that is aren't published themselves. */
export function readWatchRules(folder: string, ignored: readonly string[]): (path: string) => boolean {
  const isIgnored = readIgnoreRules(folder, ignored);
  return (path) => {
    const above = dirname(path);
    if (above !== "." && isIgnored(above, true)) return false;
    const isFolder = statSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
    return describing.includes(basename(path)) || !isIgnored(path, isFolder);
  };
}
