import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { cutStreams } from "../../chaos/streams/cut-streams.ts";
import { hasPip } from "../../bench/packages/wheel-index.ts";
import { findPackage, findPythonSdk, pythonClient } from "../../chaos/streams/python-client.ts";
import { Runfleet } from "../../sdk/ts/index.ts";
import { type Document, readOperations } from "../../sdk/generator/document.ts";
import { operations as documented, resolveRef } from "../contract/openapi-document.ts";
import { makeTalker } from "../harness/make-talker.ts";
import { readDocument } from "../docs/read-documents.ts";
import { openReceiver } from "../harness/receiver.ts";
import { waitFor } from "../harness/wait-for.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { reportUnittests } from "../harness/unittest.ts";

// Each client is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const folder = join(import.meta.dirname, "python");
const sdk = await findPythonSdk();

await reportUnittests(folder, sdk.paths);

const stack = await useTestStack();
const { url } = await stack.startService();
await makeTalker(url);

function drive(args: string[], input = ""): Promise<unknown> {
  const options = { env: sdk.env, maxBuffer: 1 << 26 };
  return new Promise((resolve, reject) => {
    const child = execFile(sdk.python, [join(folder, "drive.py"), ...args], options, (fault, stdout) =>
      fault ? reject(fault) : resolve(JSON.parse(stdout)),
    );
    child.stdin?.end(input);
  });
}

test("Python: runs, answers, errors, threads, files and lists are what the guide says", async () => {
  expect(await drive(["use", url])).toEqual({
    text: "One data: no URL[0, 255]two",
    file: "data: no URL",
    result: { said: 2 },
    again: { said: 2 },
    metadata: { from: "python" },
    events: ["0-1", "1-1"],
    asked: "May I?",
    answered: { said: 2 },
    whole: "One Yes. two",
    failed: [true, "agent_error", "ValueError"],
    late: true,
    missing: true,
    places: ["tags.0", "timeout_ms"],
    turns: 2,
    listed: [true, true],
    changes: ["resync", true],
    daemon: "daemon",
    filtered: [true],
  });
});

test("Python: a callback is accepted with the user's secret, and with no other", async () => {
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  const client = new Runfleet({ url });
  const { secret } = await client.users.rotateCallbackSecret({ user_id: "ada" });
  await client.run("talker", {}, { completion_callback_url: receiver.url }).result();
  await waitFor(() => receiver.got.length > 0);
  const [{ text, headers } = { text: "", headers: {} }] = receiver.got;
  const sent = { body: text, headers };
  expect(await drive(["verify"], JSON.stringify({ ...sent, secret }))).toBe("run.success");
  expect(await drive(["verify"], JSON.stringify({ ...sent, secret: "whsec_AAAA" }))).toBe("refused");
  expect(await drive(["verify"], JSON.stringify({ ...sent, body: `${text} `, secret }))).toBe("refused");
  const late = { ...headers, "webhook-timestamp": "1700000000" };
  expect(await drive(["verify"], JSON.stringify({ ...sent, headers: late, secret }))).toBe("refused");
});

const run = promisify(execFile);
const publishCounter = async (): Promise<void> => {
  const source =
    "def main(input):\n    for i in range(input['n']):\n        yield f'{i} '\n    return {'counted': input['n']}\n";
  await new Runfleet({ url }).agents.create({ user_id: "ada", id: "counter", name: "counter", config: { source } });
};

test("the Python example of each guide runs", async () => {
  await publishCounter();
  for (const document of ["README.md", "sdk/python/README.md", "docs/sdk.md"]) {
    const examples = readDocument(document).blocks.filter(
      ({ language, code }) => language === "python" && code.includes("runfleet_sdk"),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const { code } of examples) {
      const program = code.replace("http://127.0.0.1:8080", url);
      const { stdout } = await run(sdk.python, ["-c", program], { env: sdk.env });
      expect(stdout).toContain("0 1 2 3 4 ");
    }
  }
});

test.skipIf(!hasPip(sdk.python))("the built wheel is all that its README's example needs, beside httpx", async () => {
  const scratch = mkdtempSync("/var/tmp/runfleet-wheel-");
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const hatchling = await findPackage(sdk.python, "hatchling");
  const [sources, unpacked, wheels] = ["sources", "unpacked", "wheels"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  cpSync("sdk/python", sources, { recursive: true });
  const build = (cwd: string, ...args: string[]) =>
    run(sdk.python, ["-m", "hatchling", "build", "-d", wheels, ...args], {
      cwd,
      env: { PATH: sdk.env["PATH"], PYTHONPATH: hatchling ?? "" },
    });
  // The source archive must have what the wheel is built of.
  await build(sources, "-t", "sdist");
  mkdirSync(unpacked);
  await run("tar", ["-xzf", join(wheels, "runfleet_sdk-2.0.0.tar.gz"), "--strip-components=1", "-C", unpacked]);
  await build(unpacked, "-t", "wheel");
  // httpx comes from where the other tests have it.
  await run(sdk.python, ["-m", "venv", "--without-pip", "--system-site-packages", join(scratch, "venv")]);
  const python = join(scratch, "venv/bin/python");
  const wheel = join(wheels, "runfleet_sdk-2.0.0-py3-none-any.whl");
  await run(sdk.python, ["-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel]);
  await publishCounter();
  const example = readDocument("sdk/python/README.md").blocks.find(({ language }) => language === "python")?.code ?? "";
  const told = `
import importlib.metadata, importlib.resources, runfleet_sdk
print(importlib.metadata.requires("runfleet-sdk"), importlib.resources.files(runfleet_sdk).joinpath("py.typed").is_file())
print(runfleet_sdk.__file__)`;
  const { stdout } = await run(python, ["-c", example.replace("http://127.0.0.1:8080", url) + told], {
    cwd: scratch,
    env: { PATH: sdk.env["PATH"], PYTHONPATH: sdk.paths.slice(1).join(":") },
  });
  expect(stdout).toMatch(/^0 1 2 3 4 \{'counted': 5\}\n\['httpx<1,>=0\.23'\] True\n/);
  expect(stdout).toContain(join(scratch, "venv"));
});

test.each([
  ["sync", 2],
  ["async", 3],
] as const)("Python, %s: cuts at random bytes lose no event and repeat none", async (world, seed) => {
  const verdict = await cutStreams(url, pythonClient(sdk, world), { seed, cuts: 12, readers: 2 });
  expect(verdict.faults).toEqual([]);
  expect(verdict.cuts).toBeGreaterThanOrEqual(12);
});

test("Python: every operation is answered as documented, in both worlds", async () => {
  const document = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as Document;
  const there: Record<string, string> = { agent_id: "talker", version: "1.0.0", tag: "prod", name: "KEY" };
  const calls = readOperations(document).map(({ resource, name, method, path, pathParameters, query, body }) => {
    const operation = documented.find((one) => one.method === method && one.path === path);
    const { examples } = operation?.body ? resolveRef(operation.body) : {};
    const values: unknown[] = pathParameters.map((parameter) => there[parameter] ?? "none");
    const given = body ? [...values, (examples as unknown[] | undefined)?.[0] ?? {}] : values;
    const named = Object.fromEntries(query.filter(({ required }) => required).map((one) => [one.name, "none"]));
    return {
      statuses: Object.keys(operation?.responses ?? {}),
      operation: `${resource}.${name}`,
      call: [resource, name, given, named],
    };
  });
  const outcomes = (await drive(["call", url], JSON.stringify(calls.map(({ call }) => call)))) as {
    status?: number;
    code?: string;
  }[];
  expect(outcomes).toHaveLength(2 * calls.length);
  const odd = outcomes.flatMap(({ status, code }, at) => {
    const one = calls[at % calls.length];
    const isTold = status === undefined || (one?.statuses.includes(String(status)) && !code?.startsWith("http_"));
    return isTold ? [] : [`${one?.operation}: ${status} ${code}`];
  });
  expect(odd).toEqual([]);
});
