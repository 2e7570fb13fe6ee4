import type { Command } from "../command.ts";
import { startStack } from "../start-stack.ts";

export const up: Command = {
  usage: "up [--port p] [--workers n]",
  summary: "Starts the whole service on this machine: Postgres, Redis, API and workers. Ctrl-C ends it.",
  options: { port: { type: "string", default: "8080" }, workers: { type: "string" } },
  async act({ flags, env }) {
    const { workers } = flags;
    const given = typeof workers === "string" ? { ...env, WORKERS: workers } : env;
    const { child } = startStack({ env: given, port: String(flags["port"]) }, "inherit");
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 0)));
  },
};
