import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readFolder } from "../../cli/read-folder.ts";
import { readProjects } from "../../cli/read-projects.ts";
import { readWatchRules } from "../../cli/watch-folder.ts";

/** Makes a folder with these files, whose content is their name where none is given. */
function makeFolder(...files: (string | [name: string, content: string])[]): string {
  const folder = mkdtempSync("/var/tmp/runfleet-folder-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) {
    const [name, content] = typeof file === "string" ? [file, file] : file;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

test.each(["prod.env", "./config/secrets.env", "env [1]*.local", String.raw`a\b`, "../outside/.env"])(
  "the file of secrets '%s' that langgraph.json names is published by no rule",
  async (env) => {
    const described = JSON.stringify({ graphs: { one: "./main.py:graph" }, env });
    const all = makeFolder(
      ...["agent/main.py", "agent/prod.env.py", "agent/sub/prod.env"],
      ...([
        ["agent/langgraph.json", described],
        [join("agent", env), "KEY=secret"],
        ["agent/.runfleetignore", "!*.env"],
      ] as [string, string][]),
    );
    const folder = join(all, "agent");
    const [project] = readProjects(folder);
    expect(project?.config).toEqual({ secrets: ["KEY"] });
    const files = readFolder(folder, project?.ignore ?? []);
    expect(Object.keys(files).toSorted()).toEqual(["main.py", "prod.env.py", "sub/prod.env"]);
  },
);

test("files that programs keep secrets in are not published unless .runfleetignore says so", () => {
  const secret = [".env", ".env.local", ".envrc", ".netrc", ".pypirc"];
  expect(Object.keys(readFolder(makeFolder("main.py", ...secret), []))).toEqual(["main.py"]);
  const named = makeFolder("main.py", ...secret, [".runfleetignore", "!.envrc"]);
  expect(Object.keys(readFolder(named, []))).toEqual([".envrc", "main.py"]);
});

const filesOf = (folder: string, ignored: string[] = []): string[] =>
  Object.keys(readFolder(folder, ignored)).toSorted();

test("what the .gitignore files of the folders above leave out is not published, up to the top of the repository", () => {
  const all = makeFolder(
    [".gitignore", "main.py"],
    ["repo/.git/HEAD", ""],
    ["repo/.gitignore", "# keys\n*.pem\n/agents/*/deep/\nb.txt\n/c.txt\ndist/\n!kept.pem\n\\#odd\ngone\n"],
    ["repo/agents/.gitignore", "*.sqlite\n/a ?1?/secret.json\n"],
    ["repo/agents/a [1]/.gitignore", "!main.sqlite\n/top.txt\nlocal/\nsub/one.txt\n\\!bang \n# none\n!gone\n"],
    ["repo/agents/a [1]/.runfleetignore", "!dist/\n"],
    ...["main.py", "key.pem", "kept.pem", "deep/x", "b.txt", "sub/b.txt", "c.txt", "dist/x.js", "#odd", "gone"].map(
      (name): [string, string] => [`repo/agents/a [1]/${name}`, ""],
    ),
    ...["x.sqlite", "main.sqlite", "secret.json", "sub/secret.json", "top.txt", "sub/top.txt", "sub/local/x"].map(
      (name): [string, string] => [`repo/agents/a [1]/${name}`, ""],
    ),
    ...["sub/one.txt", "one.txt", "!bang", "venv/x", "sub/venv/x", "sub/runfleet.json", "runfleet.json", "mine"].map(
      (name): [string, string] => [`repo/agents/a [1]/${name}`, ""],
    ),
  );
  expect(filesOf(join(all, "repo/agents/a [1]"), ["/mine"])).toEqual(
    [
      ...["main.py", "kept.pem", "c.txt", "dist/x.js", "gone", "main.sqlite", "sub/secret.json"],
      ...["sub/top.txt", "one.txt", "sub/runfleet.json"],
    ].toSorted(),
  );
});

test("a folder that the repository itself leaves out is published all the same, and without one only its own rules count", () => {
  const left = makeFolder(["repo/.git/HEAD", ""], ["repo/.gitignore", "build/\n*.js\n"], "repo/build/agent/main.js");
  expect(filesOf(join(left, "repo/build/agent"))).toEqual(["main.js"]);
  const alone = makeFolder([".gitignore", "*.js"], "agent/main.js");
  expect(filesOf(join(alone, "agent"))).toEqual(["main.js"]);
  const own = makeFolder([".gitignore", "*.js"], ["agent/.git", "gitdir: elsewhere"], "agent/main.js");
  expect(filesOf(join(own, "agent"))).toEqual(["main.js"]);
});

test("dev acts on what is published and on the files that say what that is, and on no cache", () => {
  const folder = makeFolder(
    ["agent/.gitignore", "cache/\n*.log\n"],
    ["agent/.runfleetignore", "data/\n"],
    ...["agent/cache/x", "agent/venv/.gitignore", "agent/.ruff_cache/.gitignore", "agent/sub/main.py"],
  );
  const counts = readWatchRules(join(folder, "agent"), ["*.md"]);
  const acted = ["main.py", "sub/main.py", "sub", "gone.py", ".gitignore", ".runfleetignore", "runfleet.json"];
  expect(acted.filter((path) => !counts(path))).toEqual([]);
  const passed = ["cache", "cache/x", "data/x", "x.log", "README.md", "venv/.gitignore", ".ruff_cache/.gitignore"];
  expect([...passed, ".mypy_cache/3.12/x.json", ".git/HEAD", "sub/__pycache__/x.pyc"].filter(counts)).toEqual([]);
});
