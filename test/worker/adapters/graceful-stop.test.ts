import { afterAll, describe, expect, test } from "vitest";
import type { Adapter, AgentRequest } from "../../../worker/adapters/adapter.ts";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import { openAdapters } from "../../../worker/adapters/registry.ts";
import type { AbortReason } from "../../../worker/lease/abort-reason.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { py } from "../../harness/py.ts";
import { elsewhere, openLevels } from "../sandbox/open-levels.ts";
import { agentRequest } from "./run-agent.ts";

const machine = await openLevels();
afterAll(() => machine.close());

async function openAt(sandbox: Sandbox) {
  const { python, environments, directory } = machine;
  const node = await findNode({ sandbox, directory, log: console });
  return openAdapters({ sandbox, python, environments, idle: createIdleCache(1 << 28), ...elsewhere, node });
}

/** Runs an agent until it outputs "up", and stops it then. `tookMs`: from the stop to the run's end. */
async function stop(adapter: Adapter | undefined, changes: Partial<AgentRequest>, reason: AbortReason = "cancelled") {
  const controller = new AbortController();
  const frames: Frame[] = [];
  let stoppedAt = NaN;
  for await (const frame of adapter?.run(
    agentRequest("chatty", { stop_grace_ms: 8_000, ...changes }),
    controller.signal,
  ) ?? []) {
    frames.push(frame);
    if (frame.type !== "output" || !String(frame.content).includes("up") || controller.signal.aborted) continue;
    // Not at once: a handler of the agent's that prints must not come while a print is written.
    await new Promise((done) => setTimeout(done, 50));
    stoppedAt = performance.now();
    controller.abort(reason);
  }
  const outputs = frames.flatMap((frame) => (frame.type === "output" ? [frame.content] : []));
  const state = frames.find((frame) => frame.type === "state")?.state_snapshot;
  const result = frames.find((frame) => frame.type === "result");
  const isWarm = frames.some((frame) => frame.type === "started" && frame.warm);
  return { said: outputs.join(""), state, result, isWarm, tookMs: performance.now() - stoppedAt };
}

const inPython = (source: string) => ({ entrypoint: "main.py", code: { "main.py": source } });
const inNode = (source: string) => ({ entrypoint: "main.mjs", code: { "main.mjs": source } });

const sleeping = py`
  import time
  def main(context):
      try:
          print("up")
          time.sleep(60)
      finally:
          print("closed")
          context.save_state("saved")
          return {"late": True}
`;
const awaiting = py`
  import asyncio
  async def inner():
      try:
          await asyncio.sleep(60)
      finally:
          await asyncio.sleep(0.05)
          print("closed")
  async def main():
      print("up")
      await asyncio.gather(inner(), inner())
`;
const handling = py`
  import signal, sys, time
  def on_term(*_):
      print("own handler")
      sys.exit(0)
  def main():
      signal.signal(signal.SIGTERM, on_term)
      print("up")
      time.sleep(60)
`;
const writing = py`
  import itertools
  def main():
      for number in itertools.count():
          try:
              yield "up" + "x" * 100
          finally:
              closed = True
`;
const filing = py`
  import io, time
  class File(io.StringIO):
      def write(self, text):
          time.sleep(0.01)
          return super().write(text)
  def main():
      print("up")
      file = File()
      try:
          while True:
              print("row", file=file)
      finally:
          print("closed")
`;
const stubborn = py`
  import time
  def main():
      while True:
          try:
              print("up")
              time.sleep(60)
          except BaseException:
              pass
`;

const cases = machine.levels.map((sandbox) => ({ sandbox, level: sandbox.report.level }));
describe.each(cases)("a stop at level $level", ({ sandbox }) => {
  test("asks first: Python's finally, its event loop's, and its own handlers run, and a result comes too late", async () => {
    const adapters = await openAt(sandbox);
    const { byType } = adapters;
    const python = byType.get("python");
    for (const runtime_mode of ["standard", "isolated"]) {
      const slept = await stop(python, { ...inPython(sleeping), runtime_mode });
      expect(slept).toMatchObject({ said: "up\nclosed\n", state: "saved", result: undefined });
      expect(slept.tookMs).toBeLessThan(4_000);
    }
    expect((await stop(python, inPython(awaiting), "deadline")).said).toBe("up\nclosed\nclosed\n");
    expect((await stop(python, inPython(handling), "draining")).said).toBe("up\nown handler\n");
    expect((await stop(python, inPython(writing))).tookMs).toBeLessThan(4_000);
    expect((await stop(python, inPython(filing))).said).toBe("up\nclosed\n");
    await adapters.close();
  });

  test("leaves the version's interpreter to the next run, which it doesn't end", async () => {
    const adapters = await openAt(sandbox);
    const python = adapters.byType.get("python");
    const stopped = [];
    for (let run = 0; run < 3; run += 1) stopped.push(await stop(python, inPython(sleeping)));
    expect(stopped.map(({ said }) => said)).toEqual(Array(3).fill("up\nclosed\n"));
    expect(stopped.map(({ isWarm }) => isWarm)).toEqual([false, ...Array(2).fill(sandbox.startWarm !== null)]);
    await adapters.close();
  });

  test("asks first: Node's signal, finally and handlers; an agent that can't hear of it is over at once", async () => {
    const adapters = await openAt(sandbox);
    const { byType } = adapters;
    const node = byType.get("node");
    const listening = `import { setTimeout as sleep } from "node:timers/promises";
      export async function main(input, { signal }) {
        console.log("up");
        try { await sleep(60_000, null, { signal }); } finally { console.log("closed"); }
      }`;
    expect((await stop(node, inNode(listening))).said).toBe("up\nclosed\n");
    const yielding = `export async function* main() {
      try { for (;;) { yield "up"; await new Promise((done) => setTimeout(done, 20)); } } finally { console.log("closed"); }
    }`;
    expect((await stop(node, inNode(yielding), "deadline")).said).toMatch(/closed\n$/);
    const handling = `process.on("SIGTERM", () => { console.log("own handler"); process.exit(0); });
      export async function main() { console.log("up"); await new Promise((done) => setTimeout(done, 60_000)); }`;
    expect((await stop(node, inNode(handling))).said).toBe("up\nown handler\n");
    const deaf = `export async function main() { console.log("up"); await new Promise((done) => setTimeout(done, 60_000)); }`;
    expect((await stop(node, inNode(deaf))).tookMs).toBeLessThan(4_000);
    await adapters.close();
  });

  test("asks a command by SIGTERM, and kills what doesn't end, or what broke a limit", async () => {
    const adapters = await openAt(sandbox);
    const { byType } = adapters;
    const trap = ["sh", "-c", "trap 'echo closed; exit 0' TERM; echo up; while :; do sleep 0.1; done"];
    expect((await stop(byType.get("command"), { entrypoint: null, code: {}, command: trap })).said).toBe(
      "up\nclosed\n",
    );
    const late = await stop(byType.get("python"), { ...inPython(stubborn), stop_grace_ms: 300 });
    expect(late.tookMs).toBeGreaterThan(290);
    expect(late.tookMs).toBeLessThan(4_000);
    expect((await stop(byType.get("python"), inPython(sleeping), "output_limit")).said).toBe("up\n");
    await adapters.close();
  });
});
