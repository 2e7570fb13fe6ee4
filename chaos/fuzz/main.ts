import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { openDecoders } from "./registry.ts";
import { formatFuzz, runFuzz } from "./run-fuzz.ts";

const whole = z.coerce.number().int().min(0);
const schema = z.object({
  seed: whole.max(2 ** 31).default(() => Math.floor(Math.random() * 2 ** 31)),
  inputs: whole.min(1).max(1_000_000_000).default(1_000_000),
  only: z.string().default(""),
});

/**
 * `npm run fuzz -- --seed N --inputs N`: gives odd inputs to every reader of foreign bytes, and fails when one does harm. `--only gateway`: to those
 * whose names begin so.
 */
await runProcess(async () => {
  const option = { type: "string" } as const;
  const options = schema.parse(
    parseArgs({ args: process.argv.slice(2), options: { seed: option, inputs: option, only: option } }).values,
  );
  const decoders = (await openDecoders()).filter(({ name }) => name.startsWith(options.only));
  if (decoders.length === 0) throw new Error(`No decoder's name begins with "${options.only}".`);
  const report = await runFuzz(decoders, options);
  console.log(formatFuzz(options, report));
  if (report.faults.length > 0) throw new Error(`broken with seed ${options.seed}: ${report.faults.length} inputs`);
});
