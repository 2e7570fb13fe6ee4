import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findBundler } from "../../../worker/builds/find-bundler.ts";

const program = join(import.meta.dirname, "../../../runtime/node/build.mjs");

/** Bundles an agent's files in a directory of their own. Returns what `main` of the bundle returns there. */
function runBundle(files: Record<string, string>): unknown {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "build-")));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const esbuild = findBundler(cwd, "")?.esbuild;
  const input = JSON.stringify({ files, entrypoint: "main.ts", esbuild, npm: null, npm_env: {} });
  const built = JSON.parse(spawnSync(process.execPath, [program], { cwd, input, encoding: "utf8" }).stdout);
  if ("error" in built) throw new Error(built.error);
  const call = `import(${JSON.stringify(join(cwd, built.entrypoint))}).then(({ main }) => console.log(JSON.stringify(main())))`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", call], { cwd, encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout.replaceAll(cwd, "CWD"));
}

/** Modules below `lib/`, each with the value of `found` that a user expects of it. */
const modules: [title: string, text: string, found: string][] = [
  [
    "a loop",
    "const all = [];\nfor (const [, part] of Object.entries({ a: 'x' })) {\n  all.push(__dirname + part);\n}\nexport const found = all.join();",
    "CWD/libx",
  ],
  [
    "a loop of objects",
    "const all = [];\nfor (const { id } of [{ id: 1 }]) all.push(__dirname + id);\nexport const found = all.join();",
    "CWD/lib1",
  ],
  ["a comment", "// import what lies in __dirname\nexport const found = __dirname;", "CWD/lib"],
  ["an ambient declaration", "declare const __dirname: string;\nexport const found = __dirname;", "CWD/lib"],
  [
    "a parameter",
    "const show = (__dirname: string) => __dirname;\nexport const found = show('x') + __dirname;",
    "xCWD/lib",
  ],
  ["a file", "export const found = __filename;", "CWD/lib/part.ts"],
  [
    "names of its own",
    "let __filename, __dirname;\n__filename = 'f';\n__dirname = 'd';\nexport const found = __filename + __dirname;",
    "fd",
  ],
  ["a pattern", "const { a, b: [__dirname] } = { a: 1, b: ['own'] };\nexport const found = __dirname;", "own"],
  ["a hoisted name", "if (true) { var __dirname = 'own'; }\nexport const found = __dirname;", "own"],
  ["an import", "import { __dirname } from './own.ts';\nexport const found = __dirname;", "own"],
];

test.each(modules)(
  "__dirname and __filename are the module's place unless the module binds them: %s",
  (_, text, found) => {
    const files = {
      "main.ts": 'import { found } from "./lib/part.ts";\nexport const main = () => found;\n',
      "lib/own.ts": 'export const __dirname = "own";\n',
      "lib/part.ts": text,
    };
    expect(runBundle(files)).toBe(found);
  },
);
