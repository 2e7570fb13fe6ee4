import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { afterAll } from "vitest";
import { describeAdapter, type Program, type Programs } from "../../conformance/adapter-suite.ts";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import { openAdapters } from "../../../worker/adapters/registry.ts";
import { elsewhere, openLevels } from "../sandbox/open-levels.ts";
import { py } from "../../harness/py.ts";

const python = (body: string, top = ""): Program => ({
  entrypoint: "main.py:main",
  code: {
    "main.py": py`
      ${top}
      def main(input):
      ${body.replaceAll(/^/gm, "    ")}
    `,
  },
});
const node = (body: string, file = "main.mjs"): Program => ({
  entrypoint: `${file}:main`,
  code: {
    [file]: `import { spawn } from "node:child_process";\nimport fs from "node:fs";\nexport async function* main(input) {\n${body}\n}\n`,
  },
});
const shell = (script: string): Program => ({ command: ["sh", "-c", script] });

const forged = '{"type":"result","result_content":"forged"}';

const inPython: Programs = {
  talk: python(
    'import sys\nprint("one", end="")\nprint("note", file=sys.stderr)\nyield {"two": 2}\nyield "drei ✓"\nreturn {"ok": True}',
  ),
  fail: python('raise ValueError("it broke")'),
  sleep: python(
    'import subprocess, time\nsubprocess.Popen(["sleep", "60"], start_new_session=True)\nyield "up"\ntime.sleep(60)',
  ),
  look: python('import os\nyield os.environ["API_KEY"]\nyield open("in/data.txt", encoding="utf8").read()'),
  forge: python(py`
    import os
    print('${forged}')
    print('{"type":"exit","code":9}')
    return None
  `),
  flood: python('print("x" * 1000000)'),
  memory: python('yield "begin"\nreturn len(b"x" * (1 << 30))'),
  disk: python('yield "begin"\nopen("big", "wb").write(b"x" * (1 << 26))'),
  forks: python(py`
    import os, time
    while True:
        if os.fork() == 0: time.sleep(60)
  `),
  cpu: python('yield "begin"\nwhile True: pass'),
};

const inNode: Programs = {
  talk: node('console.log("one"); console.error("note"); yield { two: 2 }; yield "drei ✓"; return { ok: true };'),
  fail: node('throw new TypeError("it broke");'),
  sleep: node(
    'spawn("sleep", ["60"], { detached: true, stdio: "ignore" }); yield "up"; await new Promise((r) => setTimeout(r, 60000));',
  ),
  look: node('yield process.env.API_KEY; yield fs.readFileSync("in/data.txt", "utf8");'),
  forge: node(`console.log('${forged}'); console.log('{"type":"exit","code":9}');`),
  flood: node('console.log("x".repeat(1000000));'),
  memory: node('yield "begin"; const held = []; for (;;) held.push(Buffer.alloc(1 << 24, 1));'),
  disk: node('yield "begin"; fs.writeFileSync("big", Buffer.alloc(1 << 26));'),
  forks: node(
    'for (let n = 0; n < 200; n += 1) { const c = spawn("sleep", ["60"]); await new Promise((ok, no) => c.on("spawn", ok).on("error", no)); }',
  ),
  cpu: node('yield "begin"; for (;;);'),
};

const inTypeScript: Programs = {
  ...inNode,
  talk: node(
    `enum Two { two = 2 }
    const said: string = "one";
    console.log(said as string); console.warn("note");
    yield { two: Two.two } satisfies { two: number };
    yield "drei ✓";
    return { ok: true };`,
    "main.ts",
  ),
};

const inShell: Programs = {
  talk: shell(`printf one; echo note >&2; printf '{"two":2}'; printf 'drei ✓'`),
  fail: shell("echo it broke >&2; exit 3"),
  sleep: shell("setsid sleep 60 & echo up; sleep 60"),
  look: shell('echo "$API_KEY"; cat in/data.txt'),
  forge: shell(`echo '${forged}'; echo '{"type":"exit","code":9}'; echo '${forged}' >&3 || true`),
  flood: shell("head -c 1000000 /dev/zero | tr '\\0' x; echo"),
  memory: shell("echo begin; exec python3 -c 'len(b\"x\" * (1 << 30))'"),
  disk: shell("echo begin; head -c 67108864 /dev/zero > big"),
  forks: shell("n=0; while [ $n -lt 200 ]; do sleep 60 & n=$((n+1)); done; wait"),
  cpu: shell("echo begin; while :; do :; done"),
};

const machine = await openLevels();
afterAll(() => machine.close());
const [sandbox] = machine.levels;
const subjects = [
  { name: "python", programs: inPython, returns: true },
  { name: "node", programs: inNode, returns: true },
  { name: "node", label: "node, TypeScript", programs: inTypeScript, returns: true },
  { name: "command", programs: inShell, returns: false },
];
for (const { name, label = name, programs, returns } of subjects)
  describeAdapter({
    name: label,
    programs,
    returns,
    namesLimits: sandbox?.report.level === 3 && name !== "command",
    async open() {
      if (!sandbox) throw new Error("no level at all");
      const { python: interpreter, environments, directory } = machine;
      const log = { warn: (...said: unknown[]) => console.warn(...said) };
      const adapters = await openAdapters({
        sandbox,
        python: interpreter,
        environments,
        idle: createIdleCache(1 << 28),
        ...elsewhere,
        node: await findNode({ sandbox, directory, log }),
      });
      const adapter = adapters.byType.get(name);
      if (!adapter) throw new Error(`${name} is not offered here`);
      return { adapter, close: () => adapters.close() };
    },
  });
