import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { transformSync } from "@swc/wasm-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnv } from "../../shared/platform/config/env.ts";
import { call } from "../harness/client.ts";
import { openTestStack, type TestStack } from "../harness/test-stack.ts";
import { readDocument } from "./read-documents.ts";

const readme = readDocument("README.md");
const written = "http://127.0.0.1:8080";
const folder = mkdtempSync(join(tmpdir(), "runfleet-readme-"));
let stack: TestStack;
let url: string;

beforeAll(async () => {
  stack = await openTestStack();
  url = (await stack.start("api")).url;
  await stack.openWorker();
});
afterAll(async () => {
  await stack?.close();
  rmSync(folder, { recursive: true, force: true });
});

const hasCurl = (readEnv()["PATH"] ?? "").split(delimiter).some((path) => existsSync(join(path, "curl")));

/** The README's block of this language in which `mark` stands, for an API at `at` and for readers in a hurry. */
function block(language: string, mark: string, at: string): string {
  const found = readme.blocks.find(({ language: other, code }) => other === language && code.includes(mark));
  if (!found) throw new Error(`The README has no ${language} block with ${mark}.`);
  return found.code
    .replaceAll(written, at)
    .replace(/(?<=setTimeout\(resolve, )1_000|(?<=time\.sleep\()(1|0\.3)(?=\))/g, "0.05");
}

/** Runs a program and gives what it wrote. Throws when it fails. */
function run(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("error", reject).once("close", (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`${program} ended with ${code}: ${said}`));
    });
  });
}

test.skipIf(!hasCurl)(
  "the README's curl commands do what they say, from the first to the last",
  async () => {
    const said = await run("bash", [
      "-euo",
      "pipefail",
      "-c",
      block("sh", "# Create an agent", url).replaceAll("curl ", "curl -sS --fail-with-body "),
    ]);
    expect(said).toContain("event: run.success");
    expect(said.match(/"counted":10/g)?.length).toBeGreaterThan(2);
    expect(said).toContain('"counted":2');
    expect((await call(url, "GET", "/v1/runs/my-run-2")).body["status"]).toMatch(/^(cancelled|running)$/);
  },
  60_000,
);

test.skipIf(!hasCurl)(
  "the README's agent that calls a model is published with its packages, host and key",
  async () => {
    writeFileSync(join(folder, "agent.py"), block("python", "from openai import OpenAI", url));
    execFileSync("python3", ["-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", join(folder, "agent.py")]);
    const publish = block("sh", '"id": "asker"', url).replaceAll("curl ", "curl -sS --fail-with-body ");
    await run("bash", ["-euo", "pipefail", "-c", publish]);
    const { body } = await call(url, "GET", "/v1/agents/asker");
    expect(body["config"]).toMatchObject({ requirements: ["openai"], network: { allow: ["api.openai.com"] } });
    expect((await call(url, "GET", "/v1/agents/asker/secrets")).body).toMatchObject({
      data: [{ name: "OPENAI_API_KEY" }],
    });
  },
);

test.each(["ts", "python"] as const)(
  "the README's client in %s gets the whole output over connections that are cut",
  async (language) => {
    const source = "def main(input):\n    for i in range(input['n']):\n        yield f'{i} '\n";
    const config = { source };
    await call(url, "POST", "/v1/agents", { user_id: "ada", id: "counter", name: "counter", version: "9.0.0", config });
    const cutting = await openCuttingProxy(Number(new URL(url).port));
    try {
      const code = block(language, "A cut stream is resumed", `http://127.0.0.1:${cutting.port}`);
      const file = join(folder, language === "ts" ? "client.mjs" : "client.py");
      writeFileSync(file, language === "ts" ? (transformSync(code, { mode: "strip-only" }).code ?? "") : code);
      expect(await run(language === "ts" ? process.execPath : "python3", [file])).toBe("0 1 2 3 4 ");
      expect(cutting.cuts()).toBe(3);
    } finally {
      cutting.server.close();
    }
  },
  30_000,
);

/** A way to the API whose first connection breaks before the answer, and the next two in the middle of an event. */
async function openCuttingProxy(target: number): Promise<{ server: Server; port: number; cuts(): number }> {
  const cutAt = ["HTTP/1.1", '"attempt":1,"seq":3,', '"attempt":1,"seq":5,'];
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const mark = cutAt.shift();
    let passed = "";
    client.on("data", (bytes) => void upstream.write(bytes));
    upstream.on("data", (bytes: Buffer) => {
      if (client.writableEnded) return;
      const before = passed.length;
      passed += bytes.toString("latin1");
      const end = mark === undefined ? -1 : passed.indexOf(mark);
      if (end < 0) return void client.write(bytes);
      cuts += 1;
      client.end(bytes.subarray(0, Math.max(0, end - before)), () => client.destroy());
      upstream.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("error", () => undefined).on("close", () => other.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port, cuts: () => cuts };
}
