import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { runUpgrade } from "./run-upgrade.ts";

const schema = z.object({
  from: z.string({ error: "--from must name the commit of the version that is upgraded" }).min(1),
  clients: z.coerce.number().int().min(4).max(200).default(12),
});

/** `npm run upgrade -- --from COMMIT --clients N`: fails when a rolling upgrade fails a request or costs a run. */
await runProcess(async () => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { from: option, clients: option } });
  const { from, clients } = schema.parse(values);
  const { applied, requests, resumed, runs, ended, faults, ...seen } = await runUpgrade(from, clients);
  console.log(
    `from ${seen.from}: ${applied.length} migrations, ${requests} requests, ${faults.length} failed, ${runs.length} runs (${Object.entries(
      ended,
    )
      .map(([status, count]) => `${count} ${status}`)
      .join(", ")}), ${resumed} streams resumed elsewhere`,
  );
  const { success = 0 } = ended;
  if (success !== runs.length) faults.push(`${runs.length - success} runs did not succeed`);
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
