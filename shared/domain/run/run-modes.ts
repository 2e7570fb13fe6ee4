/** The values of adapter_type. The aliases of `python` follow it; the alias of `command` comes last. */
export const adapterTypes = [
  "python",
  "custom",
  "langchain",
  "langgraph",
  "crewai",
  "node",
  "command",
  "process",
  "http",
  "container",
] as const;

type AdapterType = (typeof adapterTypes)[number];

/** Returns the adapter that an adapter type stands for. */
export function adapterOf(type: AdapterType): "python" | "node" | "command" | "http" | "container" {
  if (type === "custom" || type === "langchain" || type === "langgraph" || type === "crewai") return "python";
  return type === "process" ? "command" : type;
}

/** standard: a warm sandbox of the agent's version. isolated: a fresh sandbox for the run. full: larger limits and the allowed network. */
export const runtimeModes = ["standard", "isolated", "full"] as const;

/** serverless: the process ends with the run. interactive: it stays for the thread's next run. daemon: it is the agent's daemon. */
export const lifecycles = ["serverless", "interactive", "daemon"] as const;
