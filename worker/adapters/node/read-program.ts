import { readFileSync } from "node:fs";
import { runtimeFile } from "../runtime-file.ts";

const shared = ["channel", "context", "describe-error", "read-typescript", "load-agent", "use-proxy"] as const;
const programs = { once: [...shared, "load-ahead", "once"], daemon: [...shared, "message", "daemon"] } as const;
const importLine = /^import \{([^}]*)\} from "([^"]*)";\n/gm;

/**
 * Returns one of runtime/node's programs as a single module for `node -e`, so that no sandbox needs to read its files. Each
 * file comes after the files that it imports.
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
      .replace(/^export /gm, ""),
  );
  const imports = [...builtins].map(([from, names]) => `import { ${[...names].join(", ")} } from "${from}";`);
  return [...imports, ...bodies].join("\n");
}
