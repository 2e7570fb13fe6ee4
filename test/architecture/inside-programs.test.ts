import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPython } from "../../worker/sandbox/find-python.ts";

/** What checks the programs that run inside of a sandbox: each tool is shown a fault, with this project's settings. */
const root = join(import.meta.dirname, "../..");

const python = "runtime/python/_runfleet/planted.py";
const node = "runtime/node/planted.mjs";

test("pyright refuses a missing type, a wrong one, and what Python 3.9 doesn't have", async () => {
  const tree = await plant({
    [python]: [
      "import _signal",
      "def untyped(value): ...",
      "def wrong() -> int:",
      '    return "text"',
      "_signal.sigwait(())",
      "Either = int | None",
    ].join("\n"),
    "pyrightconfig.json": await readFile(join(root, "pyrightconfig.json"), "utf8"),
    "runtime/python/stubs/_signal.pyi": await readFile(join(root, "runtime/python/stubs/_signal.pyi"), "utf8"),
  });

  const { stdout } = await run(tree, "node_modules/pyright/index.js", "--outputjson");

  const { generalDiagnostics } = JSON.parse(stdout) as {
    generalDiagnostics: { rule: string; range: { start: { line: number } } }[];
  };
  expect(generalDiagnostics.map(({ rule, range }) => [range.start.line, rule])).toEqual([
    [1, "reportUnknownParameterType"],
    [1, "reportMissingParameterType"],
    [3, "reportReturnType"],
    [5, "reportGeneralTypeIssues"],
  ]);
});

test("Ruff refuses an unused import and what isn't formatted; and no file at all, as that checks nothing", async () => {
  const tree = await plant({
    "a/unused.py": "import os\n",
    "a/loose.py": "x=1\n",
    "a/good.py": "x = 1\n",
    "b/none": "",
  });
  const lint = (folder: string) => run(tree, "--liftoff-only", join(root, "dist/dev/lint-python.js"), folder);

  const found = await lint("a");

  expect(found.code).toBe(1);
  expect(found.stderr.trim().split("\n").sort()).toEqual([
    "a/loose.py isn't formatted: npm run format",
    expect.stringMatching(/^a\/unused\.py:1:8 F401 /),
  ]);
  expect(await lint("a/good.py")).toMatchObject({ code: 0, stderr: "" });
  expect(await lint("b")).toMatchObject({ code: 1 });
});

test("tsc and oxlint refuse a wrong type and an unawaited promise in a program for Node", async () => {
  const tree = await plant({
    [node]: [
      '/** @param {number} count */\nconst twice = (count) => count * 2;\ntwice("text");',
      "const later = async () => 1;\nlater();",
      "export const untyped = (value) => value;\n",
    ].join("\n"),
    "runtime/node/tsconfig.json": await readFile(join(root, "runtime/node/tsconfig.json"), "utf8"),
    "tsconfig.json": await readFile(join(root, "tsconfig.json"), "utf8"),
    ".oxlintrc.json": await readFile(join(root, ".oxlintrc.json"), "utf8"),
  });

  const [types, lint] = await Promise.all([
    run(tree, "node_modules/typescript/bin/tsc", "-p", "runtime/node", "--pretty", "false"),
    run(tree, "node_modules/oxlint/bin/oxlint", "--format", "unix", "runtime"),
  ]);

  expect(types.stdout.match(/TS\d+/g)).toEqual(["TS2345", "TS7006"]);
  expect(lint.stdout).toMatch(/planted\.mjs:5:1: .*Promises must be awaited/);
});

test("the project's build checks runtime/node, and every Python file of ours is checked for types and by Ruff", async () => {
  const read = async (path: string): Promise<string> => readFile(join(root, path), "utf8");
  const { references } = JSON.parse(await read("tsconfig.json")) as { references: { path: string }[] };
  const { include } = JSON.parse(await read("pyrightconfig.json")) as { include: string[] };
  const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
  // Agents of the tests and of the examples are what strangers write.
  const folders = ["runtime", "worker", "api", "shared", "gateway", "dev", "chaos", "sdk", "test/runtime", "test/sdk"];
  const listed = await Promise.all(folders.map((folder) => readdir(join(root, folder), { recursive: true })));
  const files = listed.flatMap((names, at) =>
    names.filter((name) => name.endsWith(".py")).map((name) => `${folders[at]}/${name}`),
  );

  expect(references).toContainEqual({ path: "runtime/node" });
  const linted = scripts["lint:python"]?.split(" ").slice(3) ?? [];
  const isIn = (paths: string[]) => (file: string) => paths.some((path) => file.startsWith(`${path}/`));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !isIn(include)(file))).toEqual([]);
  expect(files.filter((file) => !isIn(linted)(file))).toEqual([]);
  expect(scripts["format"]).toContain(linted.join(" "));
  for (const step of ["lint", "lint:python", "types", "build"]) expect(scripts["check"]).toContain(`npm run ${step} `);
});

test("Python is checked for the oldest version that a worker accepts", async () => {
  const { pythonVersion } = JSON.parse(await readFile(join(root, "pyrightconfig.json"), "utf8")) as {
    pythonVersion: string;
  };
  await expect(findPython("/nonexistent/python", "")).rejects.toThrow(`(${pythonVersion} or newer`);
  const settings = await readFile(join(root, "dev/lint-python.ts"), "utf8");
  expect(settings).toContain(`"py${pythonVersion.replace(".", "")}"`);
});

test("no program inside of a sandbox signals all processes at once, or a group that it didn't make", async () => {
  const names = await readdir(join(root, "runtime"), { recursive: true });
  const sources = names.filter((name) => /\.(py|mjs)$/.test(name));
  const texts = await Promise.all(
    sources.map(async (name) => [name, await readFile(join(root, "runtime", name), "utf8")]),
  );

  expect(texts.length).toBeGreaterThan(20);
  expect(
    texts.filter(([, text]) => /\bkill(pg)?\(\s*(-|0\b)|\bkillpg\(/.test(text ?? "")).map(([name]) => name),
  ).toEqual([]);
});

/** A throw-away tree with these files and the repository's packages. */
async function plant(files: Record<string, string>): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), "inside-programs-"));
  onTestFinished(() => rm(tree, { recursive: true }));
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
  }
  return tree;
}

type Ended = { code: number; stdout: string; stderr: string };

function run(cwd: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd }, (_fault, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
