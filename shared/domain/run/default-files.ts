/** The files that are looked for when no entrypoint is named; `source` is the first. None for an adapter that loads no code. */
export function defaultFiles(adapter_type: string): [string, ...string[]] | [] {
  if (["command", "process", "http", "container"].includes(adapter_type)) return [];
  return adapter_type === "node" ? ["main.ts", "main.js", "main.mjs", "main.cjs", "index.js"] : ["main.py"];
}
