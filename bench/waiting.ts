import { medianBareStart } from "./bare-start.ts";
import { measureThroughput } from "./throughput.ts";
import { warmUp } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

const slots = 64;
const waitsMs = 500;
/** What `waitsMs` are on a machine whose bare start of Python takes 9.4 ms: a slower one also takes longer for what isn't waiting. */
const waitsStarts = 53;

/** Measures agents that only wait, as for a model's answer: they cost no core, so that slots are all that bounds them. Returns a table. */
export async function benchWaiting(signal: AbortSignal): Promise<string> {
  const waits = [waitsMs, Math.round(waitsStarts * (await medianBareStart()))];
  const rows: string[] = [];
  for (const workers of [1, 2]) {
    const settings = { WORKERS: String(workers), WORKER_SLOTS: String(slots / workers), WORKER_MEMORY_MB: "16384" };
    await withStack(signal, settings, async ({ client }) => {
      await warmUp(client, signal);
      for (const ms of waits) {
        const agent = `waits-${ms}`;
        await client.publish(agent, { source: waitFor(ms) });
        // The first runs load the code in each sandbox.
        await measureThroughput(client, { agent, clients: slots }, signal);
        const { perSecond } = await measureThroughput(client, { agent, clients: slots }, signal);
        const bound = (slots * 1_000) / ms;
        const cells = [ms, `${workers} × ${slots / workers}`, perSecond.toFixed(1), (perSecond / bound).toFixed(2)];
        rows.push(`| ${cells.join(" | ")} |`);
      }
    });
  }
  return [
    "| waits, ms | workers × slots | runs a second | of what the slots allow |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const waitFor = (ms: number): string =>
  `import time\ndef main(input):\n    time.sleep(${ms / 1_000})\n    return {'ok': True}\n`;
