import { parseArgs, type ParseArgsConfig } from "node:util";
import { type Client, createClient, faultOf } from "./client.ts";
import { Fault } from "./exit-codes.ts";
import { chooseProjects, readProjects } from "./read-projects.ts";
import { type Project, readSettings, type Settings } from "./settings.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

export type Call = {
  /** Arguments without flags. */
  words: string[];
  flags: Record<string, string | boolean | (string | boolean)[] | undefined>;
  /** The folder of the agent: the first word, where the command takes one. */
  folder: string;
  /** What the folder says of its agent; empty where it describes several. It is read when it is asked for, which may throw Fault. */
  project: Project;
  /** The agents that the folder describes; of several, with --agent, the one of that name. */
  projects: Project[];
  client: Client;
  /** Returns where the service is. Throws Fault for a profile that isn't there. */
  settings: () => Settings;
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
};

export type Command = {
  /** As its help shows it, without `runfleet`. */
  usage: string;
  summary: string;
  options?: Options;
  /** The command's first word is a folder; without one it is the current one. */
  takesFolder?: boolean;
  /** How many words it needs. */
  needs?: number;
  /** Returns the exit code. */
  act(call: Call): Promise<number>;
};

/** Commands of one subject: `runfleet runs ls`. Without a name it is `ls`, or the first one. */
export type Group = { summary: string; commands: Record<string, Command> };

const common: Options = {
  url: { type: "string" },
  profile: { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  help: { type: "boolean", short: "h" },
};

/** Reads a command's arguments and performs it. Throws Fault. */
export async function perform(command: Command, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals: words } = parse(args, { ...common, ...command.options });
  const terminal = openTerminal({ json: values["json"] === true, quiet: values["quiet"] === true });
  if (values["help"]) {
    const flags = Object.keys({ ...command.options, ...common }).map((name) => `--${name}`);
    terminal.data(`runfleet ${command.usage}\n\n${command.summary}\n\n${flags.join(" ")}`);
    return 0;
  }
  if (words.length < (command.needs ?? 0)) throw new Fault("usage", `Too few arguments: runfleet ${command.usage}`);
  const folder = (command.takesFolder && words[0]) || ".";
  let described: Project[] | null = null;
  // Most commands need nothing of the folder, so a fault in it is none of theirs.
  const describe = (): Project[] => (described ??= readProjects(folder));
  const readOnly = (): Project => {
    const [first = {}, ...others] = describe();
    return others.length === 0 ? first : {};
  };
  const named = { url: values["url"] as string | undefined, profile: values["profile"] as string | undefined };
  const settings = (): Settings => readSettings(named, readOnly, env);
  let client: Client | null = null;
  try {
    return await command.act({
      ...{ words, flags: values, folder, terminal, env, settings },
      get project() {
        return readOnly();
      },
      get projects() {
        return command.takesFolder ? chooseProjects(describe(), values["agent"] as string | undefined) : describe();
      },
      // `login` names a profile that isn't there yet.
      get client() {
        return (client ??= createClient(settings()));
      },
    });
  } catch (error) {
    throw faultOf(error) ?? error;
  }
}

function parse(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Fault("usage", error instanceof Error ? error.message : String(error));
  }
}

/** Returns the agent's id: that of runfleet.json, or the one that is named. */
export function agentOf({ project, flags }: Pick<Call, "project" | "flags">): string {
  const id = flags["agent"] ?? project.agent;
  if (typeof id !== "string") throw new Fault("usage", 'Name the agent: "agent" in runfleet.json, or --agent.');
  return id;
}
