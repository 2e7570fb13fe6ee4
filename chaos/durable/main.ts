import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { runDurable } from "./run-durable.ts";

const schema = z.object({
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => Math.floor(Math.random() * 2 ** 31)),
  runs: z.coerce.number().int().min(1).max(100_000).default(200),
  clients: z.coerce.number().int().min(1).max(100).default(12),
});

/** `npm run chaos:durable -- --seed N --runs N --clients N`: fails when a run with steps doesn't go on where it was. */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { seed: option, runs: option, clients: option } });
  const options = schema.parse(values);
  const { runs, kills, restarts, faults } = await runDurable(options, signal);
  console.log(
    `seed ${options.seed}: ${runs} runs, ${kills} workers killed, ${restarts} restarts of runs, ${faults.length} faults`,
  );
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
