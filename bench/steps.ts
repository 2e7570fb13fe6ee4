import type { BenchClient } from "./client.ts";
import { medianBareStart } from "./bare-start.ts";
import { perRun, readCpuTimes } from "./cpu.ts";
import { withRestate } from "./peers/restate.ts";
import { warmUp } from "./warm-up.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const agents = {
  "steps-python": {
    adapter_type: "python",
    source:
      "def main(input, context):\n    for n in range(input['steps']):\n        context.step('s', lambda: n)\n    if input.get('asks'):\n        context.interrupt('Go on?')\n    return {}\n",
  },
  "steps-node": {
    adapter_type: "node",
    source:
      "export async function main({ steps, asks }, context) {\n  for (let n = 0; n < steps; n += 1) await context.step('s', () => n);\n  if (asks) context.interrupt('Go on?');\n  return {};\n}\n",
  },
} as const;

const steps = 400;
const rounds = 6;
const together = 32;
const replayed = 1_000;

/** Measures steps of Python and Node, and then those of Restate's server and SDK, on the same cores. */
export async function benchSteps(signal: AbortSignal): Promise<string> {
  const ours = await withStack(signal, { WORKERS: "1", WORKER_SLOTS: String(together) }, (stack) =>
    benchOurs(stack, signal),
  );
  return [ours, await withRestate(signal, benchRestate)].join("\n");
}

/** The bare starts of Python are measured again beside it. The processes of Restate are not among those whose CPU is counted. */
async function benchRestate(client: BenchClient): Promise<string> {
  const run = (count: number) => client.run(`steps${count}`);
  const bareMs = await medianBareStart();
  for (const count of [0, steps, steps, steps]) await run(count);
  const alone = await measure(run, { clients: 1, runs: rounds });
  const many = await measure(run, { clients: together, runs: together * 2 });
  const perStart = ((bareMs * many.perSecond) / 1_000).toFixed(1);
  const unit = `a bare start of ${bareMs.toFixed(1)} ms`;
  return `| Restate, \`ctx.run\` (${unit}) | ${alone.wallMs.toFixed(3)} | – | ${(alone.wallMs / bareMs).toFixed(3)} | – | ${perStart} | – | – | – |`;
}

/** What runs with steps take more than the same runs without. The unit is a bare start of Python. */
async function benchOurs({ client, url }: BenchStack, signal: AbortSignal): Promise<string> {
  await warmUp(client, signal);
  const rows = [];
  for (const [name, config] of Object.entries(agents)) {
    await client.publish(name, config);
    const run = (count: number) => client.run(name, { input_payload: { steps: count } });
    const bareMs = await medianBareStart();
    for (const count of [0, 10, steps]) await run(count);
    const alone = await measure(run, { clients: 1, runs: rounds });
    const many = await measure(run, { clients: together, runs: together * 2 });
    const cells = [alone.wallMs, alone.cpuMs, alone.wallMs / bareMs, alone.cpuMs / bareMs].map((value) =>
      value.toFixed(3),
    );
    const perStart = ((bareMs * many.perSecond) / 1_000).toFixed(1);
    const parts = [...alone.parts].map(([part, ms]) => `${part} ${ms.toFixed(2)}`).join(", ");
    const replay = await replayCpu(url, name);
    const replays = `${replay.toFixed(0)} | ${(replay / (await medianBareStart())).toFixed(1)}`;
    const unit = `a bare start of ${bareMs.toFixed(1)} ms`;
    rows.push(`| ${name} (${unit}) | ${cells.join(" | ")} | ${perStart} | ${replays} | ${parts} |`);
  }
  const head = `| agent | a step alone, ms | CPU of the whole stack, ms | in bare starts | CPU in bare starts | steps per bare start, ${together} runs at once | CPU of a replay of ${replayed} steps, whole stack, ms | in bare starts | CPU of a step alone, ms |`;
  return [head, "|---|---|---|---|---|---|---|---|---|", ...rows].join("\n");
}

/**
 * The ms of CPU that the whole stack takes for replaying steps: from an answer to the end of a run that has done them before its
 * question, less the same of runs without steps. The two are measured in turn.
 */
async function replayCpu(url: string, agent_id: string): Promise<number> {
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
  };
  const measureOne = async (count: number): Promise<number> => {
    const input_payload = { steps: count, asks: true };
    const asked = await post("/v1/execute", { agent_id, version: "current", input_payload });
    const runId = /"run_id":"([^"]+)"/.exec(asked)?.[1] ?? "";
    const before = readCpuTimes();
    const ended = await post(`/v1/runs/${runId}/resume`, { response: "yes" });
    if (!ended.includes("event: run.success")) throw new Error(`The run did not succeed:\n${ended}`);
    return perRun(before, readCpuTimes(), 1).sum;
  };
  await measureOne(replayed);
  let sum = 0;
  for (let round = 0; round < rounds; round += 1) sum += (await measureOne(replayed)) - (await measureOne(0));
  return sum / rounds;
}

type Run = (steps: number) => Promise<unknown>;

/** What a step takes: of runs with steps, less what runs without take. */
async function measure(run: Run, { clients, runs }: { clients: number; runs: number }) {
  const times = async (count: number) => {
    const before = readCpuTimes();
    const at = performance.now();
    let left = runs;
    const loop = async (): Promise<void> => {
      while (left-- > 0) await run(count);
    };
    await Promise.all(Array.from({ length: clients }, loop));
    return { ms: (performance.now() - at) / runs, ...perRun(before, readCpuTimes(), runs) };
  };
  const [empty, full] = [await times(0), await times(steps)];
  const wallMs = (full.ms - empty.ms) / steps;
  const parts = new Map([...full.parts].map(([part, ms]) => [part, (ms - (empty.parts.get(part) ?? 0)) / steps]));
  return { wallMs, cpuMs: (full.sum - empty.sum) / steps, perSecond: 1_000 / wallMs, parts };
}
