import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { projectFolder } from "../dev/reachable.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { openInstalledRegistry } from "./packages/installed-registry.ts";
import { quantile } from "./quantile.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const exec = promisify(execFile);
const rounds = 50;
/** In which the next process of a version is started and has loaded its code. */
const pauseMs = 700;

/** A graph of two nodes; its model answers at once, so that what is measured is everything else. */
const nodeGraph = `
import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }) => ({ messages: [new AIMessage("You said " + messages.at(-1).content)] }))
  .addNode("check", async () => ({}))
  .addEdge(START, "agent").addEdge("agent", "check").addEdge("check", END).compile();
export const main = async ({ text }) => {
  const { messages } = await graph.invoke({ messages: [{ role: "user", content: text }] });
  return { answer: messages.at(-1).content };
};
`;
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
/** The imports of a framework take as long. */
const pythonSlow = `
import time
time.sleep(1)

def main(text: str = "hi"):
    return {"answer": "You said " + text}
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
  const folder = mkdtempSync(join(projectFolder(), "node_modules/.bench-"));
  const settings = {
    WORKERS: "1",
    NPM_CONFIG_REGISTRY: registry.url,
    EGRESS_ALLOW: registry.host,
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
  };
  try {
    const loops = [await plainNode(folder), ...(await plainPython(folder))];
    const hasLanggraph = loops.length > 2;
    const rows = await withStack(signal, settings, (stack) => measureAll(stack, hasLanggraph));
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
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function plainNode(folder: string): Promise<Row> {
  writeFileSync(join(folder, "agent.mjs"), nodeGraph);
  writeFileSync(join(folder, "loop.mjs"), nodeLoop);
  const { stdout } = await exec(process.execPath, [join(folder, "loop.mjs")]);
  return rowOf("LangGraph in plain Node, in a loop", JSON.parse(stdout) as number[]);
}

/** Not every machine's pip has a way to LangGraph. */
async function plainPython(folder: string): Promise<Row[]> {
  const python = readEnv()["PYTHON"] ?? "python3";
  const packages = join(folder, "packages");
  const loop = async (name: string, source: string): Promise<Row> => {
    writeFileSync(join(folder, "agent.py"), source);
    const env = { ...readEnv(), PYTHONPATH: packages };
    const { stdout } = await exec(python, ["-c", pythonLoop, folder], { env });
    return rowOf(name, JSON.parse(stdout) as number[]);
  };
  const slow = await loop("imports of a second in plain Python, in a loop", pythonSlow);
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

async function measureAll(stack: BenchStack, hasLanggraph: boolean): Promise<Row[]> {
  const dependencies = { "@langchain/core": "*", "@langchain/langgraph": "*" };
  const node = {
    adapter_type: "node",
    entrypoint: "agent.mjs:main",
    files: { "agent.mjs": nodeGraph, "package.json": JSON.stringify({ type: "module", dependencies }) },
  };
  const typed = {
    adapter_type: "node",
    source: "export const main = (input: { n?: number }) => ({ n: input.n ?? 1 });\n",
  };
  const python = { source: pythonGraph, requirements: ["langgraph"], entrypoint: "main.py:main" };
  const agents: [string, Record<string, unknown>][] = [
    ["a small TypeScript agent, a process a run", typed],
    ["LangGraph in Node, a process a run", node],
    ["LangGraph in Node, `reuse`", { ...node, reuse: true }],
    ["imports of a second in Python, a fork a run", { source: pythonSlow }],
    ["imports of a second in Python, `reuse`", { source: pythonSlow, reuse: true }],
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
  const run = async (): Promise<number> => (await client.run(id, { input_payload: { text: "hi" } })).whole;
  const first = await run();
  const paused = [];
  for (let round = 0; round < rounds / 5; round += 1) {
    await sleep(pauseMs);
    paused.push(await run());
  }
  const atOnce = [];
  for (let round = 0; round < rounds; round += 1) atOnce.push(await run());
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
