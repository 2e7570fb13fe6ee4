import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRequirements } from "../../cli/read-requirements.ts";

function read(files: Record<string, string | Buffer>): string[] | undefined {
  const folder = mkdtempSync("/var/tmp/runfleet-requirements-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return readRequirements(folder);
}

const hash = `--hash=sha256:${"0".repeat(64)}`;

test.each<[string, Record<string, string | Buffer>, string[] | undefined]>([
  ["no file", {}, undefined],
  ["comments and blanks", { "requirements.txt": "# all\n\nhttpx # web\n  numpy>=2 \n" }, ["httpx", "numpy>=2"]],
  [
    "a lock of pip-compile, with hashes over several lines",
    {
      "requirements.txt": `httpx==0.28.1 \\\n    ${hash} \\\n    ${hash}\n    # via -r in\nidna==3 ; python_version < "4" ${hash}\n`,
    },
    ["httpx==0.28.1", 'idna==3 ; python_version < "4"'],
  ],
  [
    "lines of Windows, after a byte order mark",
    { "requirements.txt": "\uFEFFhttpx\r\nnumpy \\\r\n  >=2\r\n" },
    ["httpx", "numpy    >=2"],
  ],
  ["what PowerShell writes", { "requirements.txt": Buffer.from("\uFEFFhttpx\r\n", "utf16le") }, ["httpx"]],
  [
    "files that it includes, in turn",
    {
      "requirements.txt": "-r requirements/base.txt\nb",
      "requirements/base.txt": "--requirement more.txt\n",
      "requirements/more.txt": "-r ../requirements.txt\na",
    },
    ["a", "b"],
  ],
  [
    "the folder itself",
    {
      "requirements.txt": "-e .[dev]\n",
      "pyproject.toml": '[project]\nname = "x"\ndependencies = ["httpx[http2]", # "not" this\n  \'b\']\n',
    },
    ["httpx[http2]", "b"],
  ],
  [
    "the folder itself with extras",
    {
      "requirements.txt": "--editable=.[gpu, web]\n",
      "pyproject.toml":
        '[project]\ndependencies = ["a"]\n[project.optional-dependencies]\ndev = ["d"]\nweb = [\n  "w[x]>=1",\n]\ngpu = ["g"]\n',
    },
    ["a", "g", "w[x]>=1"],
  ],
  [
    "a pyproject.toml alone, of Windows",
    { "pyproject.toml": '[project]\r\ndependencies = [\r\n  "httpx>=0.27",\r\n]\r\n[tool.x]\r\n' },
    ["httpx>=0.27"],
  ],
  ["a pyproject.toml without packages", { "pyproject.toml": "[tool.ruff]\n" }, undefined],
])("packages are read as pip does: %s", (_name, files, expected) => {
  expect(read(files)).toEqual(expected);
});

test.each<[string, Record<string, string>, string]>([
  [
    "an index",
    { "requirements.txt": "a\n-i https://index" },
    "requirements.txt:2: an option can't be sent: '-i https://index'",
  ],
  [
    "a place",
    { "requirements.txt": "a\nb @ git+https://host/b" },
    "requirements.txt:2: 'b @ git+https://host/b' names a place",
  ],
  [
    "a file outside",
    { "requirements.txt": "-r ../other.txt" },
    "requirements.txt:1: '../other.txt' isn't in the folder",
  ],
  [
    "a file that isn't there",
    { "requirements.txt": "\\\n\n-r no.txt" },
    "requirements.txt:3: 'no.txt' isn't in the folder",
  ],
  ["Poetry's own table", { "pyproject.toml": '[tool.poetry.dependencies]\nhttpx = "^0.27"\n' }, "poetry export"],
])("what can't be had is told with its line: %s", (_name, files, message) => {
  expect(() => read(files)).toThrow(message);
});
