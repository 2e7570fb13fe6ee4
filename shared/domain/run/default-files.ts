/** Returns the files to look for when no entrypoint is named. `source` is stored as the first one. Adapters that load no code have none. */
export function defaultFiles(adapter_type: string): [string, ...string[]] | [] {
  if (["command", "process", "http", "container"].includes(adapter_type)) return [];
  return adapter_type === "node" ? ["main.ts", "main.js", "main.mjs", "main.cjs", "index.js"] : ["main.py"];
}
