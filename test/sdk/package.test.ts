import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, expect, test, vi } from "vitest";
import { readDocument } from "../docs/read-documents.ts";
import { quickest } from "../harness/quickest.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { Runfleet } from "../../sdk/ts/index.ts";

// npm and tsc are processes of their own.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync("/var/tmp/runfleet-package-");
afterAll(() => rmSync(folder, { recursive: true }));

const npm = (...args: string[]) =>
  run("npm", [...args, "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
execFileSync(process.execPath, [join(root, "dist/dev/write-package.js")]);
const { dependencies } = JSON.parse(readFileSync(join(root, "dist/package/package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const needed = Object.keys(dependencies).toSorted();
const folders = [join(root, "dist/package"), ...needed.map((name) => join(root, "node_modules", name))];
const { stdout } = await npm("pack", ...folders, "--pack-destination", folder);
const [packed = "", ...others] = stdout.trim().split("\n");
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
await npm("install", ...[...others, packed].map((name) => `./${name}`));

const stack = await useTestStack();
const { url } = await stack.startService();

/** Compiles the files of a folder as their author would. */
async function compile(
  at: string,
  files: Record<string, string>,
  options: Record<string, unknown> = {},
): Promise<string> {
  mkdirSync(join(folder, at), { recursive: true });
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [], ...options };
  const all = { ...files, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }) };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, at, name), text);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", join(folder, at), "--pretty", "false"]).catch(
    (fault: { stdout: string }) => fault,
  );
  return stdout;
}

test("the installed package has the client and the command line, and none of the service's dependencies", async () => {
  const { dependencies: installed } = JSON.parse((await npm("ls", "--all", "--json")).stdout) as {
    dependencies: object;
  };
  expect(Object.keys(installed).toSorted()).toEqual([...needed, "runfleet"].toSorted());
  expect(needed.length).toBeLessThan(5);
  // What tests of agents need is a part of its own, and so are the templates.
  const outside = ["-czf", "-", "--exclude=./runtime", "--exclude=./examples", "-C", join(root, "dist/package"), "."];
  expect(execFileSync("tar", outside).length).toBeLessThan(150_000);
  expect(statSync(join(folder, packed)).size).toBeLessThan(240_000);
});

test("every template of the clone is one of the installed command line", async () => {
  const program = join(folder, "node_modules/.bin/runfleet");
  const { stdout } = await run(program, ["init", "--list", "--json"]);
  const { data } = JSON.parse(stdout) as { data: string[] };
  const examples = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(data).toEqual(expect.arrayContaining(["python", "node", ...examples.map(({ name }) => name)]));
  await run(program, ["init", "talk", "--template", "chat-memory"], { cwd: folder });
  expect(readFileSync(join(folder, "talk/main.py"), "utf8")).toContain("def main");
});

test("its types check where it is installed: the client, the hooks, and an agent's own imports", async () => {
  const lib = ["es2023", "dom", "dom.asynciterable"];
  const client = `
    import { Runfleet, InvalidError, type RunEvent } from "runfleet";
    import { useRun } from "runfleet/react";
    const client = new Runfleet();
    export const shown: string = useRun(client.run("counter")).text;
    for await (const event of client.run("counter", { n: 1 })) if (event.type === "log") event.message satisfies string;
    export const first: RunEvent["type"] = "run.queued";
    export const issues = (error: InvalidError): string[] => error.issues.map(({ place }) => place);
    `;
  expect(await compile("client", { "client.ts": client }, { lib })).toBe("");
  expect(await compile("wrong", { "client.ts": client.replace('"log"', '"lug"') }, { lib })).toContain("TS2367");
  const agent = `
    import { emit, step } from "runfleet";
    export const main = async (): Promise<number> => (emit("begun"), await step("one", () => 1));
    `;
  expect(await compile("agent", { "main.ts": agent }, { lib, types: ["runfleet/agent"] })).toBe("");
});

test("the README's example runs with the installed package", async () => {
  const source =
    "def main(input):\n    for i in range(input['n']):\n        yield f'{i} '\n    return {'counted': input['n']}\n";
  await new Runfleet({ url }).agents.create({ user_id: "ada", id: "counter", name: "counter", config: { source } });
  for (const document of ["README.md", "sdk/ts/README.md", "docs/sdk.md"]) {
    const { blocks } = readDocument(document);
    const code =
      blocks.find(({ language, code: text }) => language === "ts" && text.includes('from "runfleet"'))?.code ?? "";
    writeFileSync(join(folder, "example.mjs"), code.replace("http://127.0.0.1:8080", url));
    expect((await run(process.execPath, ["example.mjs"], { cwd: folder })).stdout).toBe("0 1 2 3 4 { counted: 5 }\n");
  }
});

test("the command line starts in at most twice the time of a bare Node", async () => {
  const program = join(folder, "node_modules/.bin/runfleet");
  const time = async (args: string[]): Promise<number> => {
    const start = performance.now();
    await run(process.execPath, args);
    return performance.now() - start;
  };
  expect((await run(program, ["--version"])).stdout).toMatch(/^runfleet \d/);
  const bare = await quickest(0, () => time(["-e", "0"]));
  expect(await quickest(2 * bare, () => time([program, "--version"]))).toBeLessThan(2 * bare);
  expect((await run(program, ["help"])).stdout).toContain("runfleet deploy");
  // An editor finds the schema of what `init` writes beside the command line.
  await run(program, ["init", "agents/hello"], { cwd: folder });
  const { $schema } = JSON.parse(readFileSync(join(folder, "agents/hello/runfleet.json"), "utf8")) as {
    $schema: string;
  };
  expect($schema).toBe("../../node_modules/runfleet/runfleet.schema.json");
  expect(readFileSync(join(folder, "agents/hello", $schema), "utf8")).toContain("runtime_mode");
});

test("the client is small in a browser, and needs nothing of Node", async () => {
  const entryPoints = [join(folder, "node_modules/runfleet/sdk/ts/index.js")];
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    platform: "browser",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "").length).toBeLessThan(10_000);
  expect(readFileSync(join(folder, "node_modules/runfleet/package.json"), "utf8")).not.toContain("express");
});
