import type { BenchClient } from "./client.ts";

const runs = 3_000;
const clients = 16;

export const plainSource = "def main(input):\n    yield 'hello'\n    return {'ok': True}\n";

/**
 * Publishes the agents `bench` and `bench-reuse`, and runs the first until V8 has compiled the hot code of all processes, as in a service that has been
 * up for a minute.
 */
export async function warmUp(client: BenchClient, signal: AbortSignal): Promise<void> {
  await client.publish("bench", { source: plainSource });
  await client.publish("bench-reuse", { source: plainSource, reuse: true });
  let left = runs;
  const loop = async (): Promise<void> => {
    while (left-- > 0 && !signal.aborted) await client.run("bench");
  };
  await Promise.all(Array.from({ length: clients }, loop));
}
