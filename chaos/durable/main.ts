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
  runs: z.coerce.number().int().min(0).max(100_000).default(200),
  clients: z.coerce.number().int().min(1).max(100).default(16),
  slots: z.coerce.number().int().min(1).max(64).default(4),
  seconds: z.coerce.number().int().min(1).max(86_400).default(600),
  sweep: z.boolean().default(false),
  only: z.string().optional(),
});

/**
 * `npm run chaos:durable -- --sweep --seed N --runs N --clients N --slots N --seconds N --only PART`: fails when a run with
 * steps doesn't go on where it was. `--only race`: of the programs with that in their names.
 */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const texts = { seed: option, runs: option, clients: option, slots: option, seconds: option, only: option };
  const { values } = parseArgs({ options: { ...texts, sweep: { type: "boolean" } } });
  const options = schema.parse(values);
  const beganAt = performance.now();
  const { runs, left, kills, restarts, suspensions, signals, races, faults } = await runDurable(options, signal);
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(0);
  console.log(
    [
      `seed ${options.seed}: ${runs} runs in ${seconds} s, ${left} not begun in time`,
      `workers killed: ${kills.places} at a run's chosen entry, ${kills.entries} after some entry, ${kills.moments} at any moment`,
      `${restarts} restarts after kills, ${races} restarts of races, ${suspensions} suspensions, ${signals} signals accepted`,
      `${faults.length} faults`,
    ].join("\n"),
  );
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
