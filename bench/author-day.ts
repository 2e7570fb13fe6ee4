import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectFolder, reachableFolder } from "../dev/reachable.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { openInstalledRegistry } from "./packages/installed-registry.ts";
import { openWheelIndex } from "./packages/wheel-index.ts";

const url = "http://127.0.0.1:18097";

type Folder = {
  name: string;
  template: string;
  /** Files beside those of the template, or instead. */
  files: Record<string, string>;
  main: string;
  change: [from: string, to: string];
};

const folders: Folder[] = [
  { name: "plain", template: "python", files: {}, main: "main.py", change: ["Hello", "Good day"] },
  {
    name: "npm",
    template: "node",
    files: {
      "package.json": '{ "type": "module", "dependencies": { "cron-parser": "*", "uuid": "*", "zod": "*" } }',
      "main.ts": `import { CronExpressionParser } from "cron-parser";
import { v4 } from "uuid";
import { z } from "zod";
const input = z.object({ name: z.string() });
export async function* main(given: unknown) {
  yield "Hello, ";
  yield input.parse(given).name;
  return { id: v4().length, next: CronExpressionParser.parse("0 7 * * *").next().getHours() };
}
`,
    },
    main: "main.ts",
    change: ["Hello", "Good day"],
  },
  {
    name: "pip",
    template: "python",
    files: {
      "requirements.txt": "greeter\npolite>=1\n",
      "main.py":
        'import greeter, polite\ndef main(input):\n    yield greeter.word\n    yield polite.title + input["name"]\n',
    },
    main: "main.py",
    change: ["yield greeter.word", 'yield "Good day"'],
  },
];

/** Times an author's day from an empty folder, as a person at a terminal has it. Returns the terminal's text and a table. */
export async function benchAuthorDay(signal: AbortSignal): Promise<string> {
  const home = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "day-"));
  const wheels = await openWheelIndex({
    greeter: { "greeter/__init__.py": "word = 'Hello'" },
    polite: { "polite/__init__.py": "title = ', dear '" },
  });
  const registry = await openInstalledRegistry();
  const env = {
    ...readEnv(),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    RUNFLEET_URL: url,
    PIP_CONFIG_FILE: "/dev/null",
    PIP_INDEX_URL: wheels.url,
    NPM_CONFIG_REGISTRY: registry.url,
    EGRESS_ALLOW: `${wheels.host},${registry.host}`,
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
  };
  const texts = [];
  try {
    for (const folder of folders) {
      signal.throwIfAborted();
      texts.push(await dayOf(folder, home, env));
    }
  } finally {
    await Promise.all([wheels.close(), registry.close()]);
    rmSync(home, { recursive: true, force: true });
  }
  return texts.join("\n\n");
}

type Env = NodeJS.ProcessEnv;

async function dayOf(folder: Folder, home: string, env: Env): Promise<string> {
  const times: [string, number][] = [];
  const said: string[] = [];
  const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const at = performance.now();
    const result = await act();
    times.push([what, (performance.now() - at) / 1000]);
    return result;
  };
  const cwd = join(home, folder.name);
  mkdirSync(cwd);
  const command = async (...args: string[]): Promise<void> => {
    const child = start(args, cwd, env);
    await timed(`runfleet ${args.join(" ")}`, () => child.ended);
    said.push(`$ runfleet ${args.join(" ")}\n${child.text()}`);
  };
  await command("init", "--template", folder.template);
  for (const [name, text] of Object.entries(folder.files)) writeFileSync(join(cwd, name), text);
  const dev = start(["dev", "-f", "input.json"], cwd, env);
  await timed("runfleet dev -f input.json, to the first run's end", () => dev.says("✓ success", 1));
  const [from, to] = folder.change;
  const main = join(cwd, folder.main);
  await sleep(500);
  writeFileSync(main, readFileSync(main, "utf8").replace(from, to));
  await timed("a change is saved, to its run's end", () => dev.says("✓ success", 2));
  said.push(`$ runfleet dev -f input.json\n${dev.text()}`);
  await command("deploy");
  await command("run", folder.name, "-f", "input.json");
  await command("logs", folder.name);
  dev.child.kill("SIGINT");
  await dev.ended;
  await serviceIsGone(env);
  const total = times.reduce((sum, [, seconds]) => sum + seconds, 0);
  const rows = times.map(([what, seconds]) => `| ${what} | ${seconds.toFixed(1)} |`);
  return [
    `## ${folder.name}: 5 commands, ${total.toFixed(1)} s`,
    ["| step | seconds |", "|---|---|", ...rows].join("\n"),
    `\`\`\`text\n${said.join("\n")}\`\`\``,
  ].join("\n\n");
}

type Started = {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<void>;
  text(): string;
  /** Resolves when it has said the words so often. */
  says(words: string, count: number): Promise<void>;
};

/** The launcher's lock goes last, behind Postgres and Redis, whose files would be removed under them. */
async function serviceIsGone({ XDG_DATA_HOME = "" }: Env): Promise<void> {
  const lock = join(XDG_DATA_HOME, "runfleet/lock");
  for (let waited = 0; waited < 20_000 && existsSync(lock); waited += 100) await sleep(100);
}

/** The service's log, which will be removed. */
const logOf = (text: string): string => {
  const path = /its log is (\S+)\.$/m.exec(text)?.[1];
  return path === undefined ? "" : readFileSync(path, "utf8").slice(-4_000);
};

function start(args: string[], cwd: string, env: Env): Started {
  const child = spawn(process.execPath, [join(projectFolder(), "dist/cli/main.js"), ...args], { cwd, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    ended: new Promise((resolve) => child.once("close", () => resolve())),
    text: () => text,
    async says(words, count) {
      while (text.split(words).length <= count) {
        if (child.exitCode !== null) throw new Error(`runfleet ${args.join(" ")} ended:\n${text}${logOf(text)}`);
        await sleep(20);
      }
    },
  };
}
