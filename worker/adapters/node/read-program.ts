import { readFileSync } from "node:fs";
import { runtimeFile } from "../runtime-file.ts";

const shared = [
  ...([
    "channel",
    "step-values",
    "rehearsal",
    "wait-conditions",
    "signal-timeouts",
    "step-files",
    "steps",
    "waits",
    "children",
    "steering",
    "context",
  ] as const),
  ...(["describe-error", "on-uncaught", "read-typescript"] as const),
  ...([
    "ask-approval",
    "graph-checkpoints",
    "framework-events",
    "run-graph",
    "run-openai-agent",
    "read-returned",
  ] as const),
  ...(["frameworks", "load-agent", "use-proxy"] as const),
] as const;
const programs = {
  build: ["channel", "context", "own-source-map", "build"],
  once: [...shared, "load-ahead", "once"],
  daemon: [...shared, "message", "daemon"],
} as const;
/** Comments that are whole lines. What stands on a line with code stays. */
const comments = /^[ \t]*(?:\/\/.*|\/\*\*(?:(?!\*\/)[^])*\*\/[ \t]*)\n/gm;
const importLine = /^import \{([^}]*)\} from "([^"]*)";\n/gm;

/**
 * Returns one of runtime/node's programs as a single script for `node -e`, so that no sandbox needs to read its files. It is without
 * comments, because Linux takes at most 128 KiB as one argument. Each
 * file comes after the files that it imports. It is no module, since the threads of an agent would take over the option that
 * makes it one. Until the program has come to its end the exit code is 13, as for a module whose `await` never ends.
 */
export function readProgram(name: keyof typeof programs): string {
  const builtins = new Map<string, Set<string>>();
  const takeImport = (_line: string, names: string, from: string): string => {
    if (!from.startsWith("node:")) return "";
    const known = builtins.get(from) ?? new Set();
    for (const one of names.split(",")) if (one.trim()) known.add(one.trim());
    builtins.set(from, known);
    return "";
  };
  const bodies = programs[name].map((file) =>
    readFileSync(runtimeFile(`node/${file}.mjs`), "utf8")
      .replace(importLine, takeImport)
      .replace(comments, "")
      .replace(/^export /gm, ""),
  );
  const imports = [...builtins].map(
    ([from, names]) => `const { ${[...names].join(", ").replaceAll(" as ", ": ")} } = require("${from}");`,
  );
  const begin = "(async () => {\nprocess.execArgv.length = 0;\nprocess.exitCode = 13;";
  return [...imports, begin, ...bodies, "process.exitCode = undefined;\n})();"].join("\n");
}
