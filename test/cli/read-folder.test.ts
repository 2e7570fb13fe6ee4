import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readFolder } from "../../cli/read-folder.ts";
import { readProjects } from "../../cli/read-projects.ts";

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
    const [project] = await readProjects(folder);
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
