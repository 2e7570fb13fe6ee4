import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { killWorkers } from "./kill-workers.ts";

const schema = z.object({
  calls: z.coerce.number().int().min(1).max(1_000).default(12),
  every_ms: z.coerce.number().int().min(100).max(60_000).default(2_000),
});

/** `npm run demo:kill -- --calls N --every_ms N`: fails when a worker's death costs a call. */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { calls: option, every_ms: option } });
  const { calls, every_ms } = schema.parse(values);
  const { quiet, killed, faults } = await killWorkers({ calls, everyMs: every_ms }, signal);
  console.log(`undisturbed: ${quiet.begun} calls at the provider, ${quiet.text.length} characters`);
  console.log(
    `worker killed ${killed.kills} times: ${killed.begun} calls at the provider, the text is ${killed.text === quiet.text ? "the same" : "another"}`,
  );
  if (faults.length > 0) throw new Error(faults.join("\n"));
});
