import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync("/var/tmp/runfleet-graphs-");
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "langgraph.json"), '{"graphs": {"one": "./one.py:main", "two": "./two.py:main"}}');
for (const name of ["one", "two"])
  writeFileSync(join(folder, `${name}.py`), `def main(input):\n    return "${name}"\n`);

/** Runs a command in the folder. No service is there: what would be sent ends with 6. */
function runfleet(...args: string[]) {
  const program = join(import.meta.dirname, "../../dist/cli/main.js");
  const env = { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: "http://127.0.0.1:9" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, env });
  return { code: status, out: stdout.toString(), err: stderr.toString() };
}

test.each(["deploy", "check", "dev", "test", "check --replay r"])(
  "%s of a folder with several agents refuses a name that none of them has, and sends nothing",
  (words) => {
    const refused = "The folder has no agent 'tow': one, two.\n";
    expect(runfleet(...words.split(" "), "--agent", "tow")).toEqual({ code: 2, out: "", err: refused });
  },
);

test.each(["dev", "test", "check --replay r"])("%s asks for a name where the folder has several agents", (words) => {
  expect(runfleet(...words.split(" "))).toEqual({ code: 2, out: "", err: "Name one by --agent: one, two.\n" });
});

test("the agent that is named is the one that is meant, and commands that take no folder may name any other", () => {
  expect(JSON.parse(runfleet("test", "--agent", "two", "--json").out)).toMatchObject({ result: "two" });
  expect(runfleet("deploy", "--agent", "two").code).toBe(6);
  expect(runfleet("secrets", "ls", "--agent", "other").code).toBe(6);
});
