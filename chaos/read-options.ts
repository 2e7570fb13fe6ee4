import { parseArgs } from "node:util";
import { z } from "zod";
import type { ChaosOptions } from "./run-chaos.ts";

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const schema = z.object({
  seed: count(0, 2 ** 31).default(() => Math.floor(Math.random() * 2 ** 31)),
  runs: count(1, 1_000_000).default(1_000),
  minutes: z.coerce.number().min(0.1).max(1_440).default(10),
  clients: count(1, 1_000).default(24),
});

/** Reads `--seed N --runs N --minutes N --clients N`. Throws one sentence for each invalid option. */
export function readOptions(args: string[]): ChaosOptions {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { seed: option, runs: option, minutes: option, clients: option } });
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${path.join(".")}: ${message}`).join("\n"));
}
