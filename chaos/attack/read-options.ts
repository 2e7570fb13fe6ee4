import { parseArgs } from "node:util";
import { z } from "zod";

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const schema = z.object({
  seed: count(0, 2 ** 31).default(() => Math.floor(Date.now() / 86_400_000)),
  count: count(1, 10_000).nullable().default(null),
  only: z.string().min(1).nullable().default(null),
  level: count(0, 3).nullable().default(null),
  /** `json`: one line for each verdict, for the process that started this one. */
  as: z.enum(["table", "json"]).default("table"),
});
export type Asked = z.infer<typeof schema>;

/** Reads `--seed N --count N --only NAME --level N`. Throws one sentence for each invalid option. */
export function readOptions(args: string[]): Asked {
  const option = { type: "string" } as const;
  const options = { seed: option, count: option, only: option, level: option, as: option };
  const parsed = schema.safeParse(parseArgs({ args, options }).values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${path.join(".")}: ${message}`).join("\n"));
}
