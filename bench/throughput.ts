import type { BenchClient } from "./client.ts";
import { quantile } from "./quantile.ts";

const seconds = 5;

/** Measures runs per second of the agent `bench`: each client starts its next run when its last has ended. Returns a table's row. */
export async function benchThroughput(client: BenchClient, clients: number, signal: AbortSignal): Promise<string> {
  const started = performance.now();
  const whole: number[] = [];
  const loop = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000 && !signal.aborted)
      whole.push((await client.run("bench")).whole);
  };
  await Promise.all(Array.from({ length: clients }, loop));
  const perSecond = whole.length / ((performance.now() - started) / 1_000);
  const [median, p99] = [quantile(whole, 0.5), quantile(whole, 0.99)];
  return `${clients} | ${perSecond.toFixed(0)} | ${median.toFixed(1)} | ${p99.toFixed(1)} |`;
}
