#!/usr/bin/env node
import type { Command, Group } from "./command.ts";

/** Loaded when they are named: `runfleet --version` costs little more than Node's own start. */
const commands: Record<string, () => Promise<Command | Group>> = {
  init: async () => (await import("./commands/init.ts")).init,
  dev: async () => (await import("./commands/dev.ts")).dev,
  check: async () => (await import("./commands/check.ts")).check,
  test: async () => (await import("./commands/test.ts")).test,
  deploy: async () => (await import("./commands/deploy.ts")).deploy,
  run: async () => (await import("./commands/run.ts")).run,
  tail: async () => (await import("./commands/tail.ts")).tail,
  resume: async () => (await import("./commands/resume.ts")).resume,
  logs: async () => (await import("./commands/logs.ts")).logs,
  runs: async () => (await import("./commands/runs.ts")).runs,
  cancel: async () => (await import("./commands/bulk.ts")).cancel,
  replay: async () => (await import("./commands/bulk.ts")).replay,
  agents: async () => (await import("./commands/agents.ts")).agents,
  versions: async () => (await import("./commands/versions.ts")).versions,
  promote: async () => (await import("./commands/versions.ts")).promote,
  rollback: async () => (await import("./commands/rollback.ts")).rollback,
  threads: async () => (await import("./commands/threads.ts")).threads,
  daemon: async () => (await import("./commands/daemon.ts")).daemon,
  schedule: async () => (await import("./commands/schedule.ts")).schedule,
  secrets: async () => (await import("./commands/secrets.ts")).secrets,
  webhooks: async () => (await import("./commands/webhooks.ts")).webhooks,
  keys: async () => (await import("./commands/keys.ts")).keys,
  top: async () => (await import("./commands/top.ts")).top,
  fleet: async () => (await import("./commands/fleet.ts")).fleet,
  queues: async () => (await import("./commands/fleet.ts")).queues,
  "dead-letters": async () => (await import("./commands/fleet.ts")).deadLetters,
  login: async () => (await import("./commands/account.ts")).login,
  logout: async () => (await import("./commands/account.ts")).logout,
  whoami: async () => (await import("./commands/account.ts")).whoami,
  profiles: async () => (await import("./commands/account.ts")).profiles,
  console: async () => (await import("./commands/console.ts")).consolePage,
  open: async () => (await import("./commands/console.ts")).runPage,
  up: async () => (await import("./commands/up.ts")).up,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  completion: async () => (await import("./commands/completion.ts")).completion,
  api: async () => (await import("./commands/api.ts")).api,
};

const version = "2.0.0";

async function main([name = "help", ...args]: string[]): Promise<number> {
  if (name === "--version" || name === "-v") {
    process.stdout.write(`runfleet ${version}\n`);
    return 0;
  }
  if (name === "help" || name === "--help" || name === "-h") {
    const all = await Promise.all(Object.entries(commands).map(async ([one, load]) => [one, await load()] as const));
    const lines = all.map(([one, found]) => [
      ("act" in found && found.usage) || `${one} ${listOf(found)}`,
      found.summary,
    ]);
    process.stdout.write(`${lines.map(([usage, summary]) => `runfleet ${usage}\n    ${summary}`).join("\n")}\n`);
    return 0;
  }
  if (name === "__complete") {
    const { complete } = await import("./complete.ts");
    process.stdout.write(`${(await complete(commands, args, process.env)).join("\n")}\n`);
    // A request for ids may still be under way.
    process.exit(0);
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    process.stderr.write(`There is no command '${name}'. runfleet help lists them.\n`);
    return 2;
  }
  const { perform } = await import("./command.ts");
  const { chooseCommand } = await import("./choose-command.ts");
  const { exitCodes, Fault } = await import("./exit-codes.ts");
  try {
    return await perform(...chooseCommand(await load(), name, args), process.env);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes[error.exit];
  }
}

const listOf = (found: Command | Group): string => ("commands" in found ? Object.keys(found.commands).join("|") : "");

// Who reads may have seen enough: `runfleet runs | head -1`.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });

process.exitCode = await main(process.argv.slice(2));
