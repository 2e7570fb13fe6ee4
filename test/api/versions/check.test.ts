import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
// Nothing of a check is a worker's.
const { url } = await stack.openApi();

type Item = { loc: string[]; msg: string };
const faultsOf = async (config: Record<string, unknown>): Promise<[string, string][]> => {
  const checked = await call(url, "POST", "/v1/validate", { config });
  const published = await call(url, "POST", "/v1/agents", { user_id: "a", name: "b", config });
  expect([checked.status, published.status]).toEqual(published.status === 422 ? [422, 422] : [200, 201]);
  expect(checked.body["detail"]).toEqual(published.body["detail"]);
  const items = (checked.body["detail"] ?? []) as Item[];
  return items.map(({ loc, msg }) => [loc.slice(2).join("."), msg.replace("Value error, ", "")]);
};
const main = "def main(input):\n    return {}\n";

test.each<[string, Record<string, unknown>, string, RegExp]>([
  ["Python", { source: "x = 1\ndef main(:\n  pass\n" }, "source", /^main\.py:2:10: syntax error: ./],
  ["Python in a file", { files: { "main.py": main, "lib/a.py": "if True\n" } }, "files.lib/a.py", /^lib\/a\.py:1:8: /],
  ["Python 2", { source: "print 'hello'\n" }, "source", /^main\.py:1:7: /],
  ["a return outside of a function", { source: "return 1\n" }, "source", /^main\.py:1:1: /],
  ["a data URL", { files: { "main.py": `data:;base64,${btoa("def")}` } }, "files.main.py", /^main\.py:1:4: /],
  ["TypeScript", { adapter_type: "node", source: "const a: = 1;" }, "source", /^main\.ts:1:10: /],
  [
    "TSX",
    { entrypoint: "a.tsx", files: { "a.tsx": "export const main = () => <b>;" } },
    "files.a.tsx",
    /^a\.tsx:1:\d+: /,
  ],
  [
    "JavaScript",
    { adapter_type: "node", files: { "main.js": "let a;\nlet = ;" } },
    "files.main.js",
    /^main\.js:2:\d+: /,
  ],
  ["code of no language", { source: "this is (no code" }, "source", /^main\.py:1:\d+: /],
])("a syntax error is refused with its file, line and column: %s", async (_, config, place, message) => {
  expect(await faultsOf(config)).toEqual([[place, expect.stringMatching(message)]]);
});

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    "a file",
    { entrypoint: "mian.py:main", files: { "main.py": main } },
    /'mian\.py'.*Did you mean 'main\.py'\?.*main\.py/,
  ],
  [
    "a function",
    { entrypoint: "main.py:mian", files: { "main.py": main } },
    /'mian'.*Did you mean 'main'\? It has main\./,
  ],
  ["of a source", { entrypoint: "a.py:run", source: main }, /'run', which 'a\.py' doesn't have. It has main\./],
  [
    "a module",
    { entrypoint: "agent.cor:main", files: { "agent/core.py": main } },
    /no agent\/cor\/__main__\.py, .*src\//,
  ],
  ["none", { files: { "agent.py": main } }, /no main\.py\. The code has agent\.py\. Name .*'agent\.py:main'/],
  ["a form", { entrypoint: "../x y", files: { "main.py": main } }, /is not like file\.py/],
  ["a script of Node", { entrypoint: "a.ts:main", adapter_type: "node", files: { "b.ts": "" } }, /'a\.ts'.*b\.ts/],
  [
    "an export",
    { entrypoint: "a.ts:man", adapter_type: "node", files: { "a.ts": "export function main() {}" } },
    /'man'.*Did you mean 'main'/,
  ],
  ["the other language", { adapter_type: "python", entrypoint: "a.ts", files: { "a.py": main } }, /is no Python/],
])("an entrypoint that isn't there is refused with what is: %s", async (_, config, message) => {
  expect(await faultsOf(config)).toEqual([["entrypoint", expect.stringMatching(message)]]);
});

test.each<[string, Record<string, unknown>]>([
  ["a script", { source: "print('hello')\n" }],
  ["newer syntax", { source: "type A = int\ndef main[T](i: T): return {}\n" }],
  ["names that are made at run time", { entrypoint: "m.py:go", source: "globals()['g' + 'o'] = print\n" }],
  [
    "names of a star import",
    { entrypoint: "m.py:go", files: { "m.py": "from a import *", "a.py": "def go(i): pass" } },
  ],
  [
    "a module of a package that is installed",
    { entrypoint: "pkg.app:main", requirements: ["pkg"], files: { "a.py": "" } },
  ],
  ["src layout", { entrypoint: "mine.core:main", files: { "src/mine/core.py": main, "src/mine/__init__.py": "" } }],
  ["a package", { entrypoint: "-m mine", files: { "mine/__main__.py": "print(1)" } }],
  ["an attribute", { entrypoint: "m.py:app.run", source: "app = object()\n" }],
  ["code that comes with the run", { entrypoint: "main.py:main" }],
  ["only data", { files: { "prompt.txt": "def (" } }],
  ["JavaScript without an adapter", { source: "export const main = () => ({});" }],
  ["CommonJS with a return", { adapter_type: "node", files: { "main.cjs": "exports.main = () => 1;\nreturn;" } }],
  [
    "decorators, enums, namespaces",
    { adapter_type: "node", source: "@d class A {}\nenum B { C }\nnamespace D { export const e = 1 }" },
  ],
  [
    "TSX",
    { adapter_type: "node", entrypoint: "a.tsx:main", files: { "a.tsx": "export const main = () => <b>1</b>;" } },
  ],
  ["modules of others", { adapter_type: "node", files: { "main.js": "", "node_modules/a/b.js": "no (code" } }],
  ["another language's files", { files: { "main.py": main, "page.js": "no (code" } }],
  ["a long file", { source: `${main}${"x = 1\n".repeat(120_000)}` }],
  ["code that is nested beyond any parser", { source: `x = ${"(".repeat(50_000)}` }],
])("what may run is published: %s", async (_, config) => {
  expect(await faultsOf(config)).toEqual([]);
});

test.each<[string, Record<string, unknown>, string]>([
  ["Python packages of a Node agent", { adapter_type: "node", source: "", requirements: ["httpx"] }, "requirements"],
  ["http without a url", { adapter_type: "http" }, "url"],
  ["command without a command", { adapter_type: "process" }, "command"],
  ["container without an image", { adapter_type: "container" }, "image"],
  ["a limit out of range", { limits: { memory_mb: 1 } }, "limits.memory_mb"],
  ["a wrong type", { source: main, secrets: "KEY" }, "secrets"],
])("keys that contradict each other or can't be are refused: %s", async (_, config, place) => {
  expect(await faultsOf(config)).toEqual([[place, expect.any(String)]]);
});

test("a check answers what is unusual, and needs no agent", async () => {
  const source = py`
    def main(input):
        return {}
  `;
  const answer = await call(url, "POST", "/v1/validate", { config: { source, entrypiont: "main.py" } });
  expect(answer).toMatchObject({
    status: 200,
    body: { valid: true, agent_id: null, version: null, warnings: [{ code: "unknown_config_key" }] },
  });
  const neither = await call(url, "POST", "/v1/validate", {});
  expect(neither).toMatchObject({
    status: 422,
    body: {
      detail: [
        { type: "missing", loc: ["body", "agent_id"] },
        { type: "missing", loc: ["body", "version"] },
      ],
    },
  });
});

test("authors who check much at once are all answered", async () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}.py`, main.repeat(200)]));
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      call(url, "POST", "/v1/validate", { config: { files, entrypoint: "f1.py:main" } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
});
