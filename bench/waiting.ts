import { measureThroughput } from "./throughput.ts";
import { withStack } from "./with-stack.ts";

const waitsMs = 500;
const slots = 64;
const source = `import time\ndef main(input):\n    time.sleep(${waitsMs / 1_000})\n    return {'ok': True}\n`;

/** Measures agents that only wait, as for a model's answer: they cost no core, so that slots are all that bounds them. Returns a table. */
export async function benchWaiting(signal: AbortSignal): Promise<string> {
  const bound = slots / (waitsMs / 1_000);
  const rows = [];
  for (const workers of [1, 2]) {
    const settings = { WORKERS: String(workers), WORKER_SLOTS: String(slots / workers), WORKER_MEMORY_MB: "16384" };
    const perSecond = await withStack(signal, settings, async ({ client }) => {
      await client.publish("bench-waiting", { source });
      // The first runs load the code in each sandbox.
      await measureThroughput(client, { agent: "bench-waiting", clients: slots }, signal);
      return (await measureThroughput(client, { agent: "bench-waiting", clients: slots }, signal)).perSecond;
    });
    rows.push(`| ${workers} × ${slots / workers} | ${perSecond.toFixed(0)} | ${(perSecond / bound).toFixed(2)} |`);
  }
  return [`| workers × slots | runs a second | of ${bound}, the bound |`, "|---|---|---|", ...rows].join("\n");
}
