import { openThreads } from "../worker-threads/open-threads.ts";

/** `name`: a path whose ending tells the language: `.py`, or one of JavaScript's and TypeScript's. */
export type Source = { name: string; text: string };
/** `line` and `column` start at 1. */
export type SourceFault = { name: string; line: number; column: number; message: string };

/** Finds syntax errors in agents' sources, and runs none of them. */
export type SourceChecker = {
  /** Returns at most one fault a source. Null: the sources could not be checked in time. `owner`: whose sources they are. */
  faultsOf(owner: string, sources: readonly Source[]): Promise<SourceFault[] | null>;
  close(): Promise<void>;
};

/** A parser takes some hundred times a source's length as memory. */
const longestSource = 512 * 1024;
const mostSources = 2_000;

export function createSourceChecker(): SourceChecker {
  const threads = openThreads<readonly Source[], { faults: SourceFault[] }>({
    program: new URL("source-thread.mjs", import.meta.url),
    count: 1,
    // All of a request takes some 3 s at most; a busy machine takes longer.
    deadlineMs: 15_000,
    queueLimits: { waiting: 16, late: 3, windowMs: 60_000 },
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    // Loaded parsers take some 100 MB.
    idleMs: 60_000,
  });
  return {
    async faultsOf(owner, sources) {
      const checked = sources.filter(({ text }) => text.length <= longestSource).slice(0, mostSources);
      if (checked.length === 0) return [];
      const answer = await threads.ask(owner, checked);
      return "faults" in answer ? answer.faults : null;
    },
    close: () => threads.close(),
  };
}
