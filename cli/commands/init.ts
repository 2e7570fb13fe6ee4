import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { readFolder, toBytes } from "../read-folder.ts";

const small: Record<string, Record<string, string>> = {
  python: {
    "main.py":
      'def main(input, context):\n    yield "Hello, "\n    yield input.get("name", "you")\n    return {"greeted": input.get("name", "you")}\n',
    "input.json": '{ "name": "Ada" }\n',
    "runfleet.json": '{ "agent": "", "entrypoint": "main.py:main" }\n',
  },
  node: {
    "main.ts":
      'type Input = { name?: string };\n\nexport async function* main(input: Input) {\n  yield "Hello, ";\n  yield input.name ?? "you";\n  return { greeted: input.name ?? "you" };\n}\n',
    "input.json": '{ "name": "Ada" }\n',
    "package.json": '{ "type": "module", "dependencies": {} }\n',
    "runfleet.json": '{ "agent": "", "entrypoint": "main.ts:main" }\n',
  },
};

/** Each folder is a template of its name. The npm package has them beside the command line, a clone above its dist/. */
const [packaged = "", cloned = ""] = ["../../examples/", "../../../examples/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const examples = existsSync(packaged) ? packaged : cloned;

function listTemplates(): string[] {
  const folders = existsSync(examples) ? readdirSync(examples, { withFileTypes: true }) : [];
  return [...Object.keys(small), ...folders.filter((one) => one.isDirectory()).map(({ name }) => name)];
}

export const init: Command = {
  usage: "init [dir] [--template python|node|…] [--list]",
  summary: "Writes an agent to start from: its code, an example input and runfleet.json. --list shows the templates.",
  options: { template: { type: "string", default: "python" }, list: { type: "boolean" } },
  takesFolder: true,
  act({ folder, flags, terminal, settings }) {
    const templates = listTemplates();
    if (flags["list"]) {
      if (terminal.json) terminal.value({ data: templates });
      else for (const name of templates) terminal.data(`${name.padEnd(20)}${titleOf(name)}`);
      return Promise.resolve(0);
    }
    const template = String(flags["template"]);
    if (!templates.includes(template))
      throw new Fault("usage", `There is no template '${template}': ${templates.join(", ")}.`);
    const agent =
      basename(resolve(folder))
        .replaceAll(/[^A-Za-z0-9._-]/g, "-")
        .replace(/^[^A-Za-z0-9]+/, "") || "my-agent";
    const files = { ...(small[template] ?? readExample(template, agent)) };
    const $schema = findSchema(folder) ?? `${settings().url}/runfleet.schema.json`;
    files["runfleet.json"] = describe(files["runfleet.json"] ?? "{}", { $schema, agent });
    writeAll(folder, files);
    if (terminal.json) terminal.value({ agent, template, files: Object.keys(files) });
    else for (const name of Object.keys(files)) terminal.data(join(folder, name));
    const enter = folder === "." ? "" : `cd ${folder} && `;
    terminal.say(
      `Next: ${enter}runfleet dev -f input.json, then: runfleet deploy && runfleet run ${agent} -f input.json`,
    );
    return Promise.resolve(0);
  },
};

/** Its README begins with its title. */
function titleOf(template: string): string {
  const readme = join(examples, template, "README.md");
  if (!existsSync(readme)) return "The smallest one";
  return readFileSync(readme, "utf8").split("\n", 1)[0]?.replace(/^# /, "") ?? "";
}

/** Its README and its hooks name the agent of the new folder. */
function readExample(template: string, agent: string): Record<string, string> {
  const folder = join(examples, template);
  // Not as a part of a path or of a package's name.
  const named = new RegExp(`(?<![\\w@/.-])${template}(?![\\w/-])`, "g");
  const files = Object.entries(readFolder(folder, [])).map(([name, text]) => [
    name,
    /\.(md|json)$/.test(name) ? text.replaceAll(named, agent) : text,
  ]);
  return { ...Object.fromEntries(files), "runfleet.json": readFileSync(join(folder, "runfleet.json"), "utf8") };
}

/** The agent's name is the folder's. Editors read the schema. */
function describe(text: string, own: { $schema: string; agent: string }): string {
  return `${JSON.stringify({ ...own, ...(JSON.parse(text) as object), agent: own.agent }, null, 2)}\n`;
}

/** Returns where the folder's installed package has the schema of runfleet.json; null where none is installed. */
function findSchema(folder: string): string | null {
  const schema = "node_modules/runfleet/runfleet.schema.json";
  for (let at = resolve(folder), up = "./"; ; at = dirname(at), up = up === "./" ? "../" : `../${up}`) {
    if (existsSync(join(at, schema))) return up + schema;
    if (at === dirname(at)) return null;
  }
}

function writeAll(folder: string, files: Record<string, string>): void {
  const taken = Object.keys(files).find((name) => existsSync(join(folder, name)));
  if (taken !== undefined) throw new Fault("conflict", `${join(folder, taken)} exists already. Nothing was written.`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), toBytes(content));
  }
}
