import type { Command, Group } from "./command.ts";
import { Fault } from "./exit-codes.ts";

/** Returns the command that the arguments name, and the arguments that are left. Throws Fault. */
export function chooseCommand(found: Command | Group, name: string, args: string[]): [Command, string[]] {
  if ("act" in found) return [found, args];
  const [first = "ls", ...rest] = args;
  const isNamed = Object.hasOwn(found.commands, first);
  const { ls } = found.commands;
  if (!isNamed && first.startsWith("-") && ls && !isHelp(first)) return [ls, args];
  const command = isNamed ? found.commands[first] : undefined;
  if (!command)
    throw new Fault("usage", helpOf(found, isHelp(first) ? null : `There is no command '${name} ${first}'.`));
  return [command, rest];
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

function helpOf({ summary, commands }: Group, fault: string | null): string {
  const lines = Object.values(commands).map((one) => `  runfleet ${one.usage}\n      ${one.summary}`);
  return [fault ?? summary, ...lines].join("\n");
}
