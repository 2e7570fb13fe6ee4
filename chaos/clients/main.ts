import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { killClients, victims } from "./kill-clients.ts";
import { clients } from "./programs.ts";

const schema = z.object({
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => Math.floor(Math.random() * 2 ** 31)),
  runs: z.coerce.number().int().min(1).max(1_000).default(3),
});

/** `npm run chaos:clients -- --seed N --runs N`: fails when the death of an agent or a worker costs a call, or changes a result. */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { seed: option, runs: option } });
  const options = schema.parse(values);
  const { tallies, faults } = await killClients({ ...options, clients, victims }, signal);
  console.log(`seed ${options.seed}`);
  for (const { victim, runs, kills, billed, undisturbed } of tallies)
    console.log(`${victim}: ${runs} runs, ${kills} kills, ${billed} calls billed, ${undisturbed} undisturbed`);
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
