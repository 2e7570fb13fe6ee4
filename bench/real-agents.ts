import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { projectFolder } from "../dev/reachable.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { openInstalledRegistry } from "./packages/installed-registry.ts";
import { graphFile, withLanggraphServer } from "./peers/langgraph.ts";
import { quantile } from "./quantile.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const exec = promisify(execFile);
const rounds = 50;
/** In which the next process of a version is started and has loaded its code. */
const pauseMs = 700;

const nodeLoop = `
const begun = performance.now();
const { main } = await import("./agent.mjs");
const times = [];
for (let n = 0; n < ${rounds}; n += 1) {
  const at = n === 0 ? begun : performance.now();
  await main({ text: "hi" });
  times.push(performance.now() - at);
}
console.log(JSON.stringify(times));
`;

const pythonGraph = `
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph

def agent(state):
    return {"messages": [AIMessage("You said " + state["messages"][-1].content)]}

built = (
    StateGraph(MessagesState).add_node("agent", agent).add_node("check", lambda state: {})
    .add_edge(START, "agent").add_edge("agent", "check").add_edge("check", END).compile()
)

def main(text: str = "hi"):
    return {"answer": built.invoke({"messages": [("user", text)]})["messages"][-1].content}
`;
/** The imports of a framework take as long. A client keeps its connection while its process lives. */
const pythonSlow = `
import http.client, json, os, time
from urllib.parse import urlsplit
time.sleep(1)

url = os.environ["MODEL_URL"]
connection = None

def main(text: str = "hi"):
    global connection
    if connection is None:
        connection = http.client.HTTPConnection(urlsplit(os.environ.get("HTTP_PROXY", url)).netloc)
    connection.request("GET", url)
    return {"answer": json.load(connection.getresponse())["said"] + text}
`;
const pythonLoop = `
import json, sys, time
begun = time.perf_counter()
sys.path.insert(0, sys.argv[1])
from agent import main
times = []
for n in range(${rounds}):
    at = begun if n == 0 else time.perf_counter()
    main("hi")
    times.append((time.perf_counter() - at) * 1000)
print(json.dumps(times))
`;

type Row = { name: string; first: number; next: number; after?: number };

/** Measures an agent of a real framework, beside the same code called in a loop of one plain process. Returns a table. */
export async function benchRealAgents(signal: AbortSignal): Promise<string> {
  const registry = await openInstalledRegistry();
  const model = await openModel();
  const folder = mkdtempSync(join(projectFolder(), "node_modules/.bench-"));
  const settings = {
    WORKERS: "1",
    NPM_CONFIG_REGISTRY: registry.url,
    EGRESS_ALLOW: `${registry.host},${model.host}`,
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
  };
  try {
    const loops = [await plainNode(folder), ...(await plainPython(folder, model.url))];
    const hasLanggraph = loops.length > 2;
    const rows = await withStack(signal, settings, (stack) => measureAll(stack, model, hasLanggraph));
    rows.push(await withLanggraphServer(signal, (run) => timeRuns("LangGraph's own server, Node, in memory", run)));
    const bare = await bareNode();
    return [
      "| agent, one run at a time | first ms | next, after a pause, median ms | next, at once, median ms |",
      "|---|---|---|---|",
      ...[...loops, ...rows].map(
        ({ name, first, next, after }) =>
          `| ${name} | ${first.toFixed(0)} | ${next.toFixed(1)} | ${after === undefined ? "" : after.toFixed(1)} |`,
      ),
      `| a bare start of \`node -e 0\` | ${bare.toFixed(0)} | ${bare.toFixed(1)} | |`,
    ].join("\n");
  } finally {
    await Promise.all([registry.close(), model.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

type Model = { url: string; host: string; close(): Promise<void> };

/** What answers the agents' calls, on this machine's loopback. */
async function openModel(): Promise<Model> {
  const server = createServer((_req, res) => void res.end('{"said": "You said "}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${host}/`, host, close };
}

async function plainNode(folder: string): Promise<Row> {
  copyFileSync(graphFile, join(folder, "agent.mjs"));
  writeFileSync(join(folder, "loop.mjs"), nodeLoop);
  const { stdout } = await exec(process.execPath, [join(folder, "loop.mjs")]);
  return rowOf("LangGraph in plain Node, in a loop", JSON.parse(stdout) as number[]);
}

/** Not every machine's pip has a way to LangGraph. */
async function plainPython(folder: string, modelUrl: string): Promise<Row[]> {
  const python = readEnv()["PYTHON"] ?? "python3";
  const packages = join(folder, "packages");
  const loop = async (name: string, source: string): Promise<Row> => {
    writeFileSync(join(folder, "agent.py"), source);
    const env = { ...readEnv(), PYTHONPATH: packages, MODEL_URL: modelUrl };
    const { stdout } = await exec(python, ["-c", pythonLoop, folder], { env });
    return rowOf(name, JSON.parse(stdout) as number[]);
  };
  const slow = await loop("imports of a second and an HTTP client in plain Python, in a loop", pythonSlow);
  try {
    await exec(python, ["-m", "pip", "install", "-q", "--retries", "0", "--target", packages, "langgraph"]);
  } catch {
    console.log("pip can't get langgraph: without its rows in Python.");
    return [slow];
  }
  return [slow, await loop("LangGraph in plain Python, in a loop", pythonGraph)];
}

function rowOf(name: string, [first = Number.NaN, ...others]: number[]): Row {
  return { name, first, next: quantile(others, 0.5) };
}

async function measureAll(stack: BenchStack, model: Model, hasLanggraph: boolean): Promise<Row[]> {
  const dependencies = { "@langchain/core": "*", "@langchain/langgraph": "*" };
  const node = {
    adapter_type: "node",
    entrypoint: "agent.mjs:main",
    files: {
      "agent.mjs": readFileSync(graphFile, "utf8"),
      "package.json": JSON.stringify({ type: "module", dependencies }),
    },
  };
  const plain = "export const main = (input) => ({ n: input.n ?? 1 });\n";
  const typed = "export const main = (input: { n?: number }) => ({ n: input.n ?? 1 });\n";
  const slow = {
    source: pythonSlow,
    runtime_mode: "full",
    network: { allow: [model.host] },
    env: { MODEL_URL: model.url },
  };
  const python = { source: pythonGraph, requirements: ["langgraph"], entrypoint: "main.py:main" };
  const agents: [string, Record<string, unknown>][] = [
    ["a small JavaScript agent, a process a run", { adapter_type: "node", files: { "main.mjs": plain } }],
    ["a small TypeScript agent, a process a run", { adapter_type: "node", source: typed }],
    ["LangGraph in Node, a process a run", node],
    ["LangGraph in Node, `reuse`", { ...node, reuse: true }],
    ["imports of a second and an HTTP client in Python, a fork a run", slow],
    ["imports of a second and an HTTP client in Python, `reuse`", { ...slow, reuse: true }],
    ...(hasLanggraph
      ? ([
          ["LangGraph in Python, a fork a run", python],
          ["LangGraph in Python, `reuse`", { ...python, reuse: true }],
        ] as [string, Record<string, unknown>][])
      : []),
  ];
  const rows = [];
  for (const [index, [name, config]] of agents.entries())
    rows.push(await measure(stack, `real-${index}`, { name, config }));
  return rows;
}

type Measured = { name: string; config: Record<string, unknown> };

/** The first run is one after the build. */
async function measure({ client, url }: BenchStack, id: string, { name, config }: Measured): Promise<Row> {
  await client.publish(id, config);
  while ((await stateOf(`${url}/v1/versions/${id}/1.0.0`)) === "building") await sleep(100);
  return timeRuns(name, async () => void (await client.run(id, { input_payload: { text: "hi" } })));
}

async function timeRuns(name: string, run: () => Promise<void>): Promise<Row> {
  const timed = async (): Promise<number> => {
    const at = performance.now();
    await run();
    return performance.now() - at;
  };
  const first = await timed();
  const paused = [];
  for (let round = 0; round < rounds / 5; round += 1) {
    await sleep(pauseMs);
    paused.push(await timed());
  }
  const atOnce = [];
  for (let round = 0; round < rounds; round += 1) atOnce.push(await timed());
  return { name, first, next: quantile(paused, 0.5), after: quantile(atOnce, 0.5) };
}

const stateOf = async (url: string): Promise<string> => ((await (await fetch(url)).json()) as { state: string }).state;

async function bareNode(): Promise<number> {
  const times = [];
  for (let round = 0; round < 10; round += 1) {
    const at = performance.now();
    await exec(process.execPath, ["-e", "0"]);
    times.push(performance.now() - at);
  }
  return quantile(times, 0.5);
}
