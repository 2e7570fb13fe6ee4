/** The values of adapter_type; the aliases of `python` come first after it, that of `command` last. */
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

/** A warm sandbox of the agent version; a fresh one for the run; larger limits and the allowed network. */
export const runtimeModes = ["standard", "isolated", "full"] as const;

/** The process ends with the run; stays with the thread; is the agent's daemon. */
export const lifecycles = ["serverless", "interactive", "daemon"] as const;
