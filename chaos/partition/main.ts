import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { formatReport, throwIfBroken } from "../report.ts";
import { runPartition } from "./run-partition.ts";

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const schema = z.object({
  seed: count(0, 2 ** 31).default(() => Math.floor(Math.random() * 2 ** 31)),
  clients: count(1, 1_000).default(16),
  cuts: count(1, 1_000).default(2),
  seconds: z.coerce.number().min(1).max(3_600).default(20),
});

/** `npm run partition -- --seed N --clients N --cuts N --seconds N`: cuts two hosts off in turn, each time for so long. */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { seed: option, clients: option, cuts: option, seconds: option } });
  const { seconds, ...options } = schema.parse(values);
  const verdict = await runPartition({ ...options, cutMs: seconds * 1_000, wholeMs: 10_000 }, signal);
  console.log(formatReport(options.seed, verdict));
  throwIfBroken(options.seed, verdict);
});
